import { recordEvent } from '../audit/record-event.ts'
import { AppError, refuse } from '../errors.ts'
import type { Services } from '../services.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/hold-actor.ts'
import { findUser } from '../users/user-store.ts'
import type { User } from '../users/user.ts'
import { avatarBlobName } from './avatar-name.ts'
import { findAvatar, markAvatarVersion } from './avatar-store.ts'
import { readAvatarImage } from './read-avatar-image.ts'

interface Avatar {
  version: string
  bytes: Buffer
}

export async function loadAvatar(
  { db, blobs }: Pick<Services, 'db' | 'blobs'>,
  userId: string,
): Promise<Avatar | undefined> {
  const findVersion = async () => (await findAvatar(db.read, userId))?.version ?? undefined
  let version = await findVersion()
  for (let before: string | undefined; version !== undefined && version !== before; version = await findVersion()) {
    const bytes = await blobs.get(avatarBlobName(userId, version))
    if (bytes) return { version, bytes }
    // It was replaced since its version was read: read again.
    before = version
  }
  return undefined
}

/** The new picture is stored before the account refers to it, and the old one is deleted after: one can always be shown. */
export async function replaceAvatar(services: Services, upload: Buffer, actor: SignedInActor): Promise<User> {
  const { blobs, random } = services
  const image = await readAvatarImage(upload)
  const version = random.text(12)
  await blobs.put(avatarBlobName(actor.id, version), image, 'image/webp')
  try {
    await changeVersion(services, version, actor)
  } catch (error) {
    // A refusal undoes the change. After any other failure the account may refer to the new picture nevertheless (the
    // commit was done and its answer lost), so that one stays; sweepAvatars deletes it if no account refers to it.
    if (error instanceof AppError) await deleteUnreferenced(services, actor.id, version)
    throw error
  }
  return (await findUser(services.db.read, actor.id)) ?? refuse('unauthenticated', 'Please sign in.')
}

export async function removeAvatar(services: Services, actor: SignedInActor): Promise<void> {
  await changeVersion(services, null, actor)
}

async function changeVersion(services: Services, version: string | null, actor: SignedInActor): Promise<void> {
  const before = await changeOwnAccount(services, actor, async (trx) => {
    const { version: old } = (await findAvatar(trx, actor.id)) ?? refuse('unauthenticated', 'Please sign in.')
    await markAvatarVersion(trx, actor.id, version)
    await recordEvent(services, trx, {
      action: version === null ? 'user.avatar_removed' : 'user.avatar_changed',
      outcome: 'success',
      actor,
      target: { type: 'user', id: actor.id },
    })
    return old
  })
  if (before !== null && before !== version) await deleteUnreferenced(services, actor.id, before)
}

/** Deletes a picture that no account refers to. If that fails, `sweepAvatars` deletes it later, so it is no error. */
const deleteUnreferenced = ({ blobs, log }: Services, userId: string, version: string): Promise<void> =>
  blobs
    .delete(avatarBlobName(userId, version))
    .catch((error: unknown) => log.warn({ err: error }, 'An old avatar could not be deleted; it is deleted later.'))
