import { recordEvent } from '../audit/record-event.ts'
import { refuse } from '../errors.ts'
import type { Services } from '../services.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/hold-actor.ts'
import { statement, type Values } from '../storage/statement.ts'
import type { User } from '../users/user.ts'
import { findUser } from '../users/user-store.ts'
import { readAvatarImage } from './read-avatar-image.ts'

/** Where a picture is kept. Each one has a name of its own, so that an old one is never mistaken for the new. */
export const avatarBlobName = (userId: string, version: string): string => `${userId}/${version}.webp`

const versionOf = statement((db, value: Values<{ userId: string }>) =>
  db.selectFrom('users').select('avatar_version').where('id', '=', value('userId')),
)

interface Avatar {
  version: string
  read(): Promise<Buffer | undefined>
}

export async function findAvatar(
  { db, blobs }: Pick<Services, 'db' | 'blobs'>,
  userId: string,
): Promise<Avatar | undefined> {
  const version = (await versionOf(db, { userId }))[0]?.avatar_version ?? undefined
  return version === undefined ? undefined : { version, read: () => blobs.get(avatarBlobName(userId, version)) }
}

/** The new picture is stored before the account points at it, and the old one goes after: there is always one to show. */
export async function replaceAvatar(services: Services, upload: Buffer, actor: SignedInActor): Promise<User> {
  const { blobs, random } = services
  const image = await readAvatarImage(upload)
  const version = random.text(12)
  await blobs.put(avatarBlobName(actor.id, version), image, 'image/webp')
  try {
    await pointAt(services, version, actor)
  } catch (error) {
    await blobs.delete(avatarBlobName(actor.id, version))
    throw error
  }
  return (await findUser(services.db, actor.id)) ?? refuse('unauthenticated', 'Please sign in.')
}

export async function removeAvatar(services: Services, actor: SignedInActor): Promise<void> {
  await pointAt(services, null, actor)
}

async function pointAt(services: Services, version: string | null, actor: SignedInActor): Promise<void> {
  const { blobs, log } = services
  const before = await changeOwnAccount(services, actor, async (trx) => {
    const old = await trx.selectFrom('users').select('avatar_version').where('id', '=', actor.id).executeTakeFirst()
    if (!old) return refuse('unauthenticated', 'Please sign in.')
    await trx.updateTable('users').set({ avatar_version: version }).where('id', '=', actor.id).execute()
    await recordEvent(services, trx, {
      action: version === null ? 'user.avatar_removed' : 'user.avatar_changed',
      outcome: 'success',
      actor,
      target: { type: 'user', id: actor.id },
    })
    return old.avatar_version
  })
  if (before === null || before === version) return
  // The account no longer points there: a picture that can't be deleted now is litter, not an error.
  await blobs
    .delete(avatarBlobName(actor.id, before))
    .catch((error: unknown) => log.warn({ err: error }, 'An old avatar is left over.'))
}
