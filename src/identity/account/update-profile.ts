import { refuse, atField } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { LIMITS } from '../../platform/limits/limits.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { isDuplicate } from '../../storage/failure.ts'
import { publish, type IdentityServices } from '../access-events.ts'
import { readHoldings } from '../roles/holdings.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/lock-actor.ts'
import { sessionErrors } from '../sessions/session-errors.ts'
import { isRetiredUsernameOf, replaceUsername } from '../users/retired-usernames.ts'
import { findUser, updateUser } from '../users/user-store.ts'
import { profileColumns, type ProfileChange, type User } from '../users/user.ts'
import { countUsernameChange, readUsernameChanges } from '../users/username-change-store.ts'
import {
  refuseTakenUsername,
  isUsernameTaken,
  refuseReservedUsername,
  refuseUsernameInUse,
  takeNameFromRoles,
} from '../users/usernames.ts'
import { accountErrors } from './account-errors.ts'

/**
 * Changes one's own profile, only the fields that the request names. Users who may get SSH certificates can't change their
 * username, because it is a principal of the certificates. A username that is not free counts as a guess: a change
 * that is refused is not one of the two in 30 days, so somebody could try any number of names.
 */
export const updateProfile = (
  services: IdentityServices,
  changes: ProfileChange,
  actor: SignedInActor,
): Promise<User> =>
  changes.preferredUsername === undefined
    ? storeProfile(services, changes, actor)
    : services.limits.attempt(
        [[LIMITS.takenUsernameByPerson, actor.id]],
        () => storeProfile(services, changes, actor),
        isUsernameTaken,
      )

async function storeProfile(services: IdentityServices, changes: ProfileChange, actor: SignedInActor): Promise<User> {
  try {
    return await changeOwnAccount(services, actor, async (trx) => {
      const { preferredUsername: from } = (await findUser(trx, actor.id)) ?? refuse(sessionErrors.not_signed_in())
      const { preferredUsername: to = from } = changes
      if (to !== from) {
        await refuseWithCertificates(trx, actor.id)
        await refuseThirdChange(services, trx, actor.id)
        const given = { username: to, userId: actor.id, now: services.now() }
        // One that somebody else had given is free again for its own person, as every other name is.
        if (!(await isRetiredUsernameOf(trx, given))) refuseReservedUsername(to)
        await refuseUsernameInUse(trx, to)
      }
      const updated = await updateUser(trx, actor.id, profileColumns(changes))
      if (!updated) return refuse(sessionErrors.not_signed_in())
      const renamed = await completeRename(services, trx, { userId: actor.id, from, to })
      await recordEvent(services, trx, {
        action: 'user.profile_updated',
        outcome: 'success',
        actor,
        target: { type: 'user', id: actor.id },
        data: {
          fields: Object.keys(changes),
          ...renamed,
        },
      })
      return updated
    })
  } catch (error) {
    if (isDuplicate(error, 'users.preferred_username')) refuseTakenUsername(changes.preferredUsername ?? '')
    throw error
  }
}

/** Before the name is checked: whoever can't change theirs learns nothing of others. */
async function refuseThirdChange({ now }: Pick<Services, 'now'>, trx: Trx, userId: string): Promise<void> {
  if (await countUsernameChange(trx, userId, now())) return
  const { nextAt } = await readUsernameChanges(trx, userId, now())
  const retryAfter = Math.max(1, Math.ceil(((nextAt ?? now()) - now()) / 1000))
  throw atField('preferredUsername', accountErrors.too_many_username_changes({ retryAfter }))
}

async function refuseWithCertificates(trx: Trx, userId: string): Promise<void> {
  if ((await readHoldings(trx, userId)).permissions.has('ssh:cert:issue')) {
    refuse(accountErrors.username_opens_unix_accounts())
  }
}

export interface Rename {
  userId: string
  from: string
  to: string
}

/**
 * Completes a change of username that this transaction has written: reserves the old one, and revokes the certificates that
 * name it. Returns what the audit event says about it; nothing when the username is the same.
 */
export async function completeRename(
  services: Pick<IdentityServices, 'now' | 'accessSubscribers'>,
  trx: Trx,
  { userId, from, to }: Rename,
) {
  if (from === to) return {}
  await takeNameFromRoles(trx, to)
  await replaceUsername(services, trx, { userId, from, to })
  const ended = await publish(services, trx, 'username_changed', { userId })
  return { preferredUsername: { from, to }, ...ended }
}
