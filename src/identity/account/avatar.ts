import { refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { deletePicture, loadPicture, type Picture, replacePicture } from '../../platform/pictures/replace-picture.ts'
import type { Services } from '../../platform/services.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/lock-actor.ts'
import { findUser } from '../users/user-store.ts'
import type { User } from '../users/user.ts'
import { findAvatar, markAvatarVersion } from './avatar-store.ts'

export const loadAvatar = (services: Pick<Services, 'db' | 'blobs'>, userId: string): Promise<Picture | undefined> =>
  loadPicture(services, userId, async () => (await findAvatar(services.db.read, userId))?.version)

export async function replaceAvatar(services: Services, upload: Buffer, actor: SignedInActor): Promise<User> {
  await replacePicture(services, actor.id, upload, (version) => changeVersion(services, version, actor))
  return (await findUser(services.db.read, actor.id)) ?? refuse('unauthenticated', 'Please sign in.')
}

export async function removeAvatar(services: Services, actor: SignedInActor): Promise<void> {
  const before = await changeVersion(services, null, actor)
  if (before !== null) await deletePicture(services, actor.id, before)
}

/** Returns the version before. */
const changeVersion = (services: Services, version: string | null, actor: SignedInActor): Promise<string | null> =>
  changeOwnAccount(services, actor, async (trx) => {
    const { version: before } = (await findAvatar(trx, actor.id)) ?? refuse('unauthenticated', 'Please sign in.')
    await markAvatarVersion(trx, actor.id, version)
    await recordEvent(services, trx, {
      action: version === null ? 'user.avatar_removed' : 'user.avatar_changed',
      outcome: 'success',
      actor,
      target: { type: 'user', id: actor.id },
    })
    return before
  })
