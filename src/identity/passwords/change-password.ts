import { refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { IdentityServices } from '../access-events.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/lock-actor.ts'
import { attemptPassword } from '../sign-in/password-limits.ts'
import { wrongPassword } from '../sign-in/prove-owner.ts'
import type { SignInSource } from '../sign-in/sign-in-source.ts'
import { normalizePassword, refuseWeakPassword } from '../users/password-rules.ts'
import { proveUntilUnchanged } from '../users/prove-password.ts'
import { findAccountById, findUser } from '../users/user-store.ts'
import { setPassword } from './set-password.ts'

/** The current password is needed besides the session, so that a session left open is not enough to take over the account. */
export async function changePassword(
  services: IdentityServices,
  request: { currentPassword: string; newPassword: string; source: SignInSource },
  actor: SignedInActor,
): Promise<void> {
  const { db, passwords } = services
  const { ipAddress } = request.source
  const password = normalizePassword(request.newPassword)
  const person = (await findUser(db.read, actor.id)) ?? refuse('unauthenticated', 'Please sign in.')
  await refuseWeakPassword(services, { field: 'newPassword', password, person, address: ipAddress })
  const prove = async (): Promise<string> => {
    const stored = (await findAccountById(db.read, actor.id))?.passwordHash ?? null
    if (stored !== null && (await passwords.verify(stored, normalizePassword(request.currentPassword), ipAddress)))
      return stored
    throw wrongPassword(stored === null ? NO_PASSWORD : 'The current password is wrong.')
  }
  let passwordHash: string | undefined
  await attemptPassword(services, { email: actor.email, source: request.source }, () =>
    proveUntilUnchanged(prove, async (proved) => {
      passwordHash ??= await passwords.hash(password, ipAddress)
      return store(services, actor, proved, passwordHash)
    }),
  )
}

const NO_PASSWORD = 'This account has no password yet. Set one through "forgotten password".'

/** Undefined when the current password is no longer the one that was proved. */
const store = (
  services: IdentityServices,
  actor: SignedInActor,
  proved: string,
  passwordHash: string,
): Promise<true | undefined> =>
  changeOwnAccount(services, actor, async (trx) => {
    if ((await findAccountById(trx, actor.id))?.passwordHash !== proved) return undefined
    const { id: userId, sessionId: keepSessionId } = actor
    await setPassword(services, trx, { userId, passwordHash, keepSessionId, by: 'password_changed' })
    await recordEvent(services, trx, {
      action: 'user.password_changed',
      outcome: 'success',
      actor,
      target: { type: 'user', id: actor.id },
    })
    return true
  })
