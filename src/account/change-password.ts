import { recordEvent } from '../audit/record-event.ts'
import { AppError } from '../errors.ts'
import { addressKey, LIMITS } from '../http/limits.ts'
import type { Actor } from '../audit/record-event.ts'
import type { Services } from '../services.ts'
import type { SignedIn } from '../sessions/session.ts'
import { setPassword } from '../sessions/set-password.ts'
import { normalizePassword, refuseWeakPassword } from '../users/password-rules.ts'
import { findAccountById } from '../users/user-store.ts'

/** Asks for the current password even of somebody signed in: a session left open must not be worth an account. */
export async function changePassword(
  services: Services,
  { user, session }: SignedIn,
  asked: { currentPassword: string; newPassword: string },
  actor: Actor,
): Promise<void> {
  const { db, limits, passwords } = services
  const address = addressKey(actor.caller?.ipAddress ?? '')
  await limits.attempt(
    [[LIMITS.loginByEmail, `${user.email} ${address}`]],
    async () => {
      const account = await findAccountById(db, user.id)
      const stored = account?.passwordHash ?? null
      if (!(await passwords.verify(stored, normalizePassword(asked.currentPassword))))
        throw wrongPassword(stored === null)
    },
    (error) => error instanceof AppError && error.code === 'wrong_password',
  )
  const password = normalizePassword(asked.newPassword)
  refuseWeakPassword('newPassword', password, user.email)
  const passwordHash = await passwords.hash(password)
  await db.transaction().execute(async (trx) => {
    await setPassword(services, trx, user.id, passwordHash, session.id)
    await recordEvent(services, trx, {
      action: 'user.password_changed',
      outcome: 'success',
      actor,
      target: { type: 'user', id: user.id },
    })
  })
}

function wrongPassword(hasNone: boolean): AppError {
  const message = hasNone
    ? 'This account has no password yet. Set one through "forgotten password".'
    : 'The current password is wrong.'
  return new AppError('wrong_password', message, { issues: [{ path: 'currentPassword', message }] })
}
