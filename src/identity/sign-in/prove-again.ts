import { AppError } from '../../errors.ts'
import { recordAlone } from '../../platform/audit/record-event.ts'
import type { Services } from '../../platform/services.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/lock-actor.ts'
import { raiseSession } from '../sessions/raise-session.ts'
import { normalizePassword } from '../users/password-rules.ts'
import { findAccountById } from '../users/user-store.ts'
import { attemptPassword } from './password-limits.ts'
import { isProofCurrent, proveUntilUnchanged } from './prove-owner.ts'
import { signInErrors } from './sign-in-errors.ts'
import type { SignInSource } from './sign-in-source.ts'

/**
 * Makes the session of the request fresh, with the password. A wrong one counts like one of a sign-in; the session stays as it
 * is. An account without a password is told the same.
 */
export async function proveWithPassword(
  services: Services,
  { password, source }: { password: string; source: SignInSource },
  actor: SignedInActor,
): Promise<{ freshUntil: number | null }> {
  const { db, passwords } = services
  const prove = async (): Promise<string> => {
    const stored = (await findAccountById(db.read, actor.id))?.passwordHash ?? null
    const isRight = await passwords.verify(stored, normalizePassword(password), source.ipAddress)
    if (stored !== null && isRight) return stored
    await recordAlone(services, { ...refusedProof(actor), method: 'password' })
    throw signInErrors.proof_wrong()
  }
  return attemptPassword(services, { email: actor.email, source, isGuess: isProofWrong }, () =>
    proveUntilUnchanged(prove, (proved) =>
      changeOwnAccount(services, actor, async (trx) =>
        (await isProofCurrent(trx, actor.id, proved))
          ? raiseSession(services, trx, { method: 'password', amr: ['pwd'] }, actor)
          : undefined,
      ),
    ),
  )
}

/** What the audit trail says about a proof that was refused. */
const refusedProof = (actor: SignedInActor) =>
  ({
    action: 'session.proved',
    outcome: 'refused',
    actor,
    target: { type: 'session', id: actor.sessionId },
  }) as const

export const isProofWrong = (error: unknown): boolean => error instanceof AppError && error.code === 'wrong_proof'
