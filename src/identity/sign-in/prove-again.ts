import { AppError } from '../../errors.ts'
import { recordAlone } from '../../platform/audit/record-event.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { secondStepErrors } from '../second-step/second-step-errors.ts'
import { type SecondStep, useSecondStep } from '../second-step/use-second-step.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/lock-actor.ts'
import { raiseSession } from '../sessions/raise-session.ts'
import { normalizePassword } from '../users/password-rules.ts'
import { findAccountById } from '../users/user-store.ts'
import { isSecondStepWrong, limitsOfSecondStep } from './finish-login.ts'
import { attemptPassword } from './password-limits.ts'
import { proveUntilUnchanged } from './prove-owner.ts'
import { signInErrors } from './sign-in-errors.ts'
import type { SignInSource } from './sign-in-source.ts'
import { tellOwner } from './tell-owner.ts'

/**
 * Makes the session of the request fresh, with the password and, where there is one, the second step. What is wrong counts like a
 * wrong password of a sign-in; the session stays as it is. An account without a password is told the same.
 */
export async function proveWithPassword(
  services: Services,
  { password, source, second }: { password: string; source: SignInSource; second: SecondStep | undefined },
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
  const attempt = () =>
    proveUntilUnchanged(prove, async (proved) => {
      const done = await changeOwnAccount(services, actor, async (trx) => {
        const account = await findAccountById(trx, actor.id)
        if (account?.passwordHash !== proved) return undefined
        const amr = account.hasSecondStep ? await proveSecondStep(services, trx, second, { source, actor }) : ['pwd']
        return amr ? raiseSession(services, trx, { method: 'password', amr }, actor) : 'wrong'
      })
      if (done !== 'wrong') return done
      await recordAlone(services, { ...refusedProof(actor), method: 'password' })
      throw secondStepErrors.second_step_wrong()
    })
  // Codes are few, so that wrong ones have a count of their own too.
  const limits = second && 'code' in second ? await limitsOfSecondStep(services, actor, source) : []
  return attemptPassword(services, { email: actor.email, source, isGuess: isProofWrong }, () =>
    services.limits.attempt(limits, attempt, isSecondStepWrong),
  )
}

/** How it was proved. Undefined when the code is wrong: that has to be counted, and not undone with the transaction. */
async function proveSecondStep(
  services: Services,
  trx: Trx,
  second: SecondStep | undefined,
  { source, actor }: { source: SignInSource; actor: SignedInActor },
): Promise<string[] | undefined> {
  if (!second) throw secondStepErrors.second_step_missing()
  const used = await useSecondStep(services, trx, actor.id, second)
  if (used?.left !== undefined) {
    const told = {
      type: 'security.recovery_code_used',
      data: { left: used.left },
      actor: { ...actor, source },
    } as const
    await tellOwner(services, trx, actor.id, told)
  }
  return used?.amr
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
