import { refuse, refuseField } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { Trx } from '../../storage/database.ts'
import type { IdentityServices } from '../access-events.ts'
import { refuseLastAdministrator } from '../access/administrators.ts'
import { refuseIfHoldsMore } from '../access/holdings.ts'
import { refuseUntilReset } from '../passwords/refuse-until-reset.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { administer } from '../sessions/administer.ts'
import type { SignedIn } from '../sessions/session.ts'
import { isProofCurrent, withProof } from '../sign-in/prove-owner.ts'
import type { SignInSource } from '../sign-in/sign-in-source.ts'
import { normalizeEmail } from '../users/email-address.ts'
import { retireUsername } from '../users/retired-usernames.ts'
import { lockAccount } from '../users/user-lock-store.ts'
import type { User } from '../users/user.ts'
import { markDeleted } from './deleted-user-store.ts'
import { type Ended, NOTHING_ENDED } from './ended.ts'
import { removeDeletedUser } from './remove-deleted-users.ts'
import { revokeAccess } from './revoke-access.ts'

type DeletionServices = Pick<IdentityServices, 'db' | 'now' | 'signals' | 'blobs' | 'log' | 'accessSubscribers'>

/** The request waits this long at most for the removal of the rest; `removeDeletedUsers` continues it. */
const MAX_REMOVAL_MS = 500

/**
 * Deletes an account for good, with everything that belongs to it. The certificate log and the audit trail stay. One
 * transaction ends all access and hides the account; the rest of its rows is deleted in slices afterwards.
 */
export async function deleteUser(services: DeletionServices, userId: string, actor: SignedInActor): Promise<Ended> {
  const ended = await administer(services, actor, async (trx, held) => {
    const { user } = (await lockAccount(trx, userId)) ?? refuse('not_found', 'There is no such user.')
    await refuseIfHoldsMore(trx, held, userId, 'access')
    if (userId === held.userId) refuse('conflict', "You can't delete your own account.")
    return hideAccount(services, trx, user, actor)
  })
  await removeRest(services, userId)
  return ended
}

interface DeleteOwnRequest {
  /** Has to be that of the account, so that nobody deletes another one by mistake. */
  email: string
  currentPassword?: string
  source: SignInSource
  signedIn: SignedIn
}

/** Deletes the actor's own account, with the proof that an open session is not enough for. */
export async function deleteOwnAccount(
  services: IdentityServices,
  { email, ...proof }: DeleteOwnRequest,
  actor: SignedInActor,
): Promise<Ended> {
  if (normalizeEmail(email) !== actor.email) refuseField('email', 'This is not the address of your account.')
  const ended = await withProof(services, { actor, currentPassword: undefined, ...proof }, (proved) =>
    administer(services, actor, async (trx) => {
      const account = (await lockAccount(trx, actor.id)) ?? refuse('unauthenticated', 'Please sign in.')
      if (!(await isProofCurrent(trx, actor.id, proved))) return undefined
      refuseUntilReset(account)
      return hideAccount(services, trx, account.user, actor)
    }),
  )
  await removeRest(services, actor.id)
  return ended
}

/** Ends all access, and makes the account one that is not found any more. The caller has locked it. */
async function hideAccount(services: DeletionServices, trx: Trx, user: User, actor: SignedInActor): Promise<Ended> {
  const { id: userId, email, preferredUsername } = user
  await refuseLastAdministrator(trx, [userId])
  const ended = (await revokeAccess(services, trx, [userId], 'deleted')).get(userId) ?? NOTHING_ENDED
  await markDeleted(trx, userId, services.now())
  await retireUsername(trx, { username: preferredUsername, userId, now: services.now() })
  await recordEvent(services, trx, {
    action: 'user.deleted',
    outcome: 'success',
    actor,
    target: { type: 'user', id: userId },
    data: { email, ended },
  })
  return ended
}

const removeRest = (services: DeletionServices, userId: string): Promise<void> =>
  removeDeletedUser(services, userId, AbortSignal.timeout(MAX_REMOVAL_MS)).catch((error: unknown) =>
    services.log.warn({ err: error }, 'A deleted user is not removed yet; it is tried again.'),
  )
