import { refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { deletePicture, loadPicture, replacePicture, type Picture } from '../../platform/pictures/replace-picture.ts'
import type { Services } from '../../platform/services.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import { readStatement, type Values } from '../../storage/statement.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/lock-actor.ts'
import { sessionErrors } from '../sessions/session-errors.ts'
import { findUser } from '../users/user-store.ts'
import type { User } from '../users/user.ts'

export const loadAvatar = (services: Pick<Services, 'db' | 'blobs'>, userId: string): Promise<Picture | undefined> =>
  loadPicture(services, userId, async () => (await findAvatar(services.db.read, userId))?.version)

export async function replaceAvatar(services: Services, upload: Buffer, actor: SignedInActor): Promise<User> {
  await replacePicture(services, actor.id, upload, (version) => changeVersion(services, version, actor))
  return (await findUser(services.db.read, actor.id)) ?? refuse(sessionErrors.not_signed_in())
}

export async function removeAvatar(services: Services, actor: SignedInActor): Promise<void> {
  const before = await changeVersion(services, null, actor)
  if (before !== null) await deletePicture(services, actor.id, before)
}

/** Returns the version before. */
const changeVersion = (services: Services, version: string | null, actor: SignedInActor): Promise<string | null> =>
  changeOwnAccount(services, actor, async (trx) => {
    const { version: before } = (await findAvatar(trx, actor.id)) ?? refuse(sessionErrors.not_signed_in())
    await markAvatarVersion(trx, actor.id, version)
    await recordEvent(services, trx, {
      action: version === null ? 'user.avatar_removed' : 'user.avatar_changed',
      outcome: 'success',
      actor,
      target: { type: 'user', id: actor.id },
    })
    return before
  })

const versionOf = readStatement((db, value: Values<{ userId: string }>) =>
  db.selectFrom('users').select('avatar_version').where('id', '=', value('userId')),
)

/** The avatar of the user, with the version null when there is none; undefined when there is no such user. */
async function findAvatar(db: Reader, userId: string): Promise<{ version: string | null } | undefined> {
  const [row] = await versionOf(db, { userId })
  return row && { version: row.avatar_version }
}

async function markAvatarVersion(trx: Trx, userId: string, version: string | null): Promise<void> {
  await trx.updateTable('users').set({ avatar_version: version }).where('id', '=', userId).execute()
}
