import { refuse } from '../../errors.ts'
import { recordEvent, THE_SERVICE } from '../../platform/audit/record-event.ts'
import type { Trx } from '../../storage/database.ts'
import { type IdentityServices, publish } from '../access-events.ts'
import { passkeyErrors } from '../passkeys/passkey-errors.ts'
import { deletePasskey } from '../passkeys/passkey-store.ts'
import { tellPasskeyChanged } from '../passkeys/tell-passkey-changed.ts'
import { type Counted, refuseIfHoldsMore } from '../roles/holdings.ts'
import { operatorErrors } from '../roles/role-errors.ts'
import { removeSecondStep } from '../second-step/access-subscriber.ts'
import { secondStepErrors } from '../second-step/second-step-errors.ts'
import { findTotp } from '../second-step/second-step-store.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { administer } from '../sessions/administer.ts'
import { endSession, endSessionsOfUsers } from '../sessions/end-sessions.ts'
import { refuseLosingLastMeans } from '../sessions/lock-out.ts'
import { sessionErrors } from '../sessions/session-errors.ts'
import { tellOwner, type TellServices } from '../sign-in/tell-owner.ts'
import { mayAct } from '../users/account-state.ts'
import { normalizeEmail } from '../users/email-address.ts'
import { lockAccount, lockUser } from '../users/lock-user.ts'
import { userErrors } from '../users/user-errors.ts'
import { findAccountByEmail } from '../users/user-store.ts'

type AccessServices = TellServices & Pick<IdentityServices, 'db' | 'accessSubscribers'>

/** Ends every session and token of a person, who may sign in again. */
export const signOutUser = (services: AccessServices, userId: string, actor: SignedInActor): Promise<void> =>
  changeUserAccess(services, userId, actor, 'permissions', async (trx) => {
    const sessions = (await endSessionsOfUsers(services, trx, [userId])).get(userId) ?? 0
    const { tokens = 0 } = await publish(services, trx, 'signed_out', { userId, by: 'signed_out_by_administrator' })
    await tellOwner(services, trx, userId, { type: 'security.signed_out', data: {}, actor })
    await recordEvent(services, trx, {
      action: 'user.signed_out',
      outcome: 'success',
      actor,
      target: { type: 'user', id: userId },
      data: { ended: { sessions, tokens } },
    })
  })

/** Ends one session of a person. */
export const endUserSession = (
  services: AccessServices,
  { userId, sessionId }: { userId: string; sessionId: string },
  actor: SignedInActor,
): Promise<void> =>
  changeUserAccess(services, userId, actor, 'permissions', async (trx) => {
    const ended = await endSession(services, trx, { userId, id: sessionId, way: 'session_ended_by_administrator' })
    if (!ended) refuse(sessionErrors.no_such_session())
    const data = { sessionId, ...ended }
    await tellOwner(services, trx, userId, { type: 'security.session_ended', data, actor })
    await recordEvent(services, trx, {
      action: 'session.revoked',
      outcome: 'success',
      actor,
      target: { type: 'session', id: sessionId },
      data: { userId },
    })
  })

/** Removes a passkey of a person, also the only one: it may be lost, and a reset link lets its owner in again. */
export const removeUserPasskey = (
  services: AccessServices,
  { userId, passkeyId }: { userId: string; passkeyId: string },
  actor: SignedInActor,
): Promise<void> =>
  changeUserAccess(services, userId, actor, 'everything', async (trx) => {
    const removed = await deletePasskey(trx, userId, passkeyId)
    if (!removed) refuse(passkeyErrors.no_such_passkey())
    await refuseLosingLastMeans(trx, userId)
    const { name } = removed
    await tellPasskeyChanged(services, trx, removed, { userId, change: 'deleted', by: 'administrator' })
    await tellOwner(services, trx, userId, { type: 'security.passkey_removed', data: { passkeyId, name }, actor })
    await recordEvent(services, trx, {
      action: 'passkey.removed',
      outcome: 'success',
      actor,
      target: { type: 'passkey', id: passkeyId },
      data: { userId, name },
    })
  })

/** Removes the second step of a person who has lost it. */
export const removeUserTotp = (services: AccessServices, userId: string, actor: SignedInActor): Promise<void> =>
  changeUserAccess(services, userId, actor, 'everything', async (trx) => {
    if (!(await findTotp(trx, userId))?.since) refuse(secondStepErrors.totp_off())
    await removeSecondStep(services, trx, { userId, by: 'administrator' })
    await refuseLosingLastMeans(trx, userId)
    await tellOwner(services, trx, userId, { type: 'security.totp_removed', data: {}, actor })
    await recordEvent(services, trx, {
      action: 'totp.removed',
      outcome: 'success',
      actor,
      target: { type: 'user', id: userId },
    })
  })

/**
 * The same for the operator on the command line, where no administrator can sign in any more. It may be the last means of the last
 * administrator: `latchkey admin recover` then lets them set up another one.
 */
export const removeLostApp = (services: AccessServices, email: string): Promise<{ removed: boolean; email: string }> =>
  services.db.transaction(async (trx) => {
    const account = await findAccountByEmail(trx, normalizeEmail(email))
    if (!account) return refuse(operatorErrors.no_account_with_email({ email }))
    const { id, email: found } = account.user
    if (!mayAct(account)) refuse(operatorErrors.account_to_enable_first({ email: found }))
    await lockUser(trx, id)
    if (!(await findTotp(trx, id))?.since) return { removed: false, email: found }
    await removeSecondStep(services, trx, { userId: id, by: 'administrator' })
    await tellOwner(services, trx, id, { type: 'security.totp_removed', data: {}, actor: THE_SERVICE })
    await recordEvent(services, trx, {
      action: 'totp.removed',
      outcome: 'success',
      actor: THE_SERVICE,
      target: { type: 'user', id },
      data: { by: 'latchkey admin remove-app' },
    })
    return { removed: true, email: found }
  })

/**
 * Users can't take access away from a person who holds more than they do. Who removes a passkey leaves an account that a reset
 * by mail opens, so that everything counts that it has; to end what can be begun again gives nothing to anybody.
 */
export const changeUserAccess = (
  services: AccessServices,
  userId: string,
  actor: SignedInActor,
  counted: Counted,
  change: (trx: Trx) => Promise<void>,
): Promise<void> =>
  administer(services, actor, async (trx, held) => {
    if (!(await lockAccount(trx, userId))) refuse(userErrors.no_such_user())
    await refuseIfHoldsMore(trx, held, userId, counted)
    await change(trx)
  })
