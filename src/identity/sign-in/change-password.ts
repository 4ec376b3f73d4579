import { refuse, atField } from '../../errors.ts'
import { recordEvent, type Actor } from '../../platform/audit/record-event.ts'
import type { Trx } from '../../storage/database.ts'
import { publish, type IdentityServices, type SignedOutBy } from '../access-events.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import { requireFresh, requireFreshAlways } from '../sessions/fresh.ts'
import { changeOwnAccount } from '../sessions/lock-actor.ts'
import { sessionErrors } from '../sessions/session-errors.ts'
import { normalizePassword, refuseWeakPassword } from '../users/password-rules.ts'
import { findAccountById, findUser } from '../users/user-store.ts'
import { deleteEmailTokens } from './email-tokens.ts'
import { attemptPassword } from './password-limits.ts'
import { proveUntilUnchanged, refuseUntilReset } from './prove-owner.ts'
import { signInErrors } from './sign-in-errors.ts'
import type { SignInSource } from './sign-in-source.ts'
import { tellOwner, type TellServices } from './tell-owner.ts'

/**
 * The current password is needed besides the session, so that a session left open is not enough to take over the account; for
 * the first one, a fresh sign-in.
 */
export async function changePassword(
  services: IdentityServices,
  request: { currentPassword?: string; newPassword: string; source: SignInSource },
  actor: SignedInActor,
): Promise<void> {
  const { db, passwords } = services
  const { currentPassword, source } = request
  const { ipAddress } = source
  await requireFresh(services, db.read, actor)
  const password = normalizePassword(request.newPassword)
  const person = (await findUser(db.read, actor.id)) ?? refuse(sessionErrors.not_signed_in())
  await refuseWeakPassword(services, { field: 'newPassword', password, person, address: ipAddress })
  const { account_has_no_password, current_password_missing, current_password_wrong } = signInErrors
  const prove = async (): Promise<string | null> => {
    const account = (await findAccountById(db.read, actor.id)) ?? refuse(sessionErrors.not_signed_in())
    const stored = account.passwordHash
    if (stored === null) {
      if (currentPassword !== undefined) throw atField('currentPassword', account_has_no_password())
      await requireFreshAlways(services, db.read, actor)
      return null
    }
    if (currentPassword === undefined) throw atField('currentPassword', current_password_missing())
    if (await passwords.verify(stored, normalizePassword(currentPassword), ipAddress)) return stored
    throw atField('currentPassword', current_password_wrong())
  }
  let passwordHash: string | undefined
  await attemptPassword(services, { email: actor.email, source }, () =>
    proveUntilUnchanged(prove, async (proved) => {
      passwordHash ??= await passwords.hash(password, ipAddress)
      return store(services, actor, proved, passwordHash)
    }),
  )
}

/** Undefined when the current password is no longer the one that was proved. */
const store = (
  services: IdentityServices,
  actor: SignedInActor,
  proved: string | null,
  passwordHash: string,
): Promise<true | undefined> =>
  changeOwnAccount(services, actor, async (trx) => {
    const account = (await findAccountById(trx, actor.id)) ?? refuse(sessionErrors.not_signed_in())
    if (account.passwordHash !== proved) return undefined
    refuseUntilReset(account)
    const { id: userId, sessionId: keepSessionId } = actor
    await setPassword(services, trx, { userId, passwordHash, keepSessionId, by: 'password_changed', actor })
    await recordEvent(services, trx, {
      action: 'user.password_changed',
      outcome: 'success',
      actor,
      target: { type: 'user', id: actor.id },
    })
    return true
  })

interface NewPassword {
  userId: string
  passwordHash: string
  keepSessionId?: string
  by: Extract<SignedOutBy, 'password_changed' | 'password_reset'>
  actor: Pick<Actor, 'id' | 'source'>
}

/**
 * Sets a new password. Every session but the one that set it ends, applications lose their tokens (grants stay), and links
 * that were sent before end. After a reset, passwords for programs end too.
 */
export async function setPassword(
  services: TellServices & Pick<IdentityServices, 'accessSubscribers'>,
  trx: Trx,
  { userId, passwordHash, keepSessionId, by, actor }: NewPassword,
): Promise<void> {
  await updatePasswordHash(trx, userId, passwordHash)
  await deleteEmailTokens(trx, userId, ['reset', 'invitation'])
  await endSessions(services, trx, { userId, keepId: keepSessionId, way: by })
  await publish(services, trx, 'signed_out', { userId, by })
  await tellOwner(services, trx, userId, { type: 'security.password_changed', data: {}, actor })
}

/** Null removes the password. */
export async function updatePasswordHash(trx: Trx, userId: string, passwordHash: string | null): Promise<void> {
  await trx
    .updateTable('users')
    .set((eb) => ({ password_hash: passwordHash, password_number: eb('password_number', '+', 1) }))
    .where('id', '=', userId)
    .execute()
}
