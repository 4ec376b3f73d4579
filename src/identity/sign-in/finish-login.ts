import { AppError, refuse } from '../../errors.ts'
import { recordAlone } from '../../platform/audit/record-event.ts'
import { digest } from '../../platform/crypto/digest.ts'
import type { Limit } from '../../platform/limits/failure-counts.ts'
import { LIMITS } from '../../platform/limits/limits.ts'
import type { Services } from '../../platform/services.ts'
import { secondStepErrors } from '../second-step/second-step-errors.ts'
import { claimTry, consumeWaitingSignIn, findWaitingSignIn } from '../second-step/second-step-store.ts'
import { type SecondStep, useSecondStep } from '../second-step/use-second-step.ts'
import type { SignedInSession } from '../sessions/start-session.ts'
import { refuseDisabled } from '../users/account-state.ts'
import { lockAccount } from '../users/lock-user.ts'
import type { User } from '../users/user.ts'
import { findKnownBrowser } from './password-limits.ts'
import type { SignInSource } from './sign-in-source.ts'
import { signIn } from './sign-in.ts'
import { tellOwner } from './tell-owner.ts'

interface FinishRequest {
  id: string
  /** Of the cookie that the first step has set. */
  browserToken: string | undefined
  given: SecondStep
}

type SignedInUser = { user: User; session: SignedInSession }

/**
 * The second step of a sign-in whose password was right, in the browser in which that was given. Wrong codes count for the account,
 * whatever addresses they come from; a browser that has signed in before has a count of its own. A right recovery code is never
 * refused by that count: nobody guesses one.
 */
export async function finishLogin(
  services: Services,
  { id, browserToken, given }: FinishRequest,
  source: SignInSource,
): Promise<SignedInUser> {
  const { db, limits, now } = services
  const browserHash = digest(browserToken ?? '')
  const waiting =
    (await findWaitingSignIn(db.read, { id, browserHash, now: now() })) ?? refuse(secondStepErrors.sign_in_over())
  const counted = await limitsOfSecondStep(services, { id: waiting.userId, email: waiting.email }, source)
  const run = () => finish(services, { id, browserHash, given, ...waiting }, source)
  if (!('recoveryCode' in given)) return limits.attempt(counted, run, isSecondStepWrong)
  try {
    return await run()
  } catch (error) {
    if (isSecondStepWrong(error)) {
      for (const limit of counted) limits.check(...limit)
      for (const limit of counted) await limits.fail(...limit)
    }
    throw error
  }
}

/**
 * Which failures count together. A link to reset the password makes its browser a known one too, and whoever reads the mail can ask
 * for many: so all known browsers of an account have a limit together.
 */
export async function limitsOfSecondStep(
  services: Pick<Services, 'db' | 'now'>,
  { id, email }: { id: string; email: string },
  source: SignInSource,
): Promise<[Limit, string][]> {
  const browser = await findKnownBrowser(services, email, source)
  if (browser === undefined) return [[LIMITS.secondStepFromAnywhere, id]]
  return [
    [LIMITS.secondStepByKnownBrowser, browser],
    [LIMITS.secondStepByKnownBrowsers, id],
  ]
}

interface Waiting {
  id: string
  browserHash: string
  given: SecondStep
  userId: string
  email: string
}

async function finish(services: Services, waiting: Waiting, source: SignInSource): Promise<SignedInUser> {
  const { db, now } = services
  const { id, userId, email, browserHash, given } = waiting
  const tried = (await claimTry(db, { id, browserHash, now: now() })) ?? refuse(secondStepErrors.sign_in_over())
  const done = await db.transaction(async (trx) => {
    const account = await lockAccount(trx, userId)
    // Another password was set meanwhile, or the second step was removed.
    if (!account || account.passwordNumber !== tried.passwordNumber || !account.hasSecondStep)
      return refuse(secondStepErrors.sign_in_over())
    const used = await useSecondStep(services, trx, userId, given)
    if (!used) return undefined
    refuseDisabled(account)
    if (!(await consumeWaitingSignIn(trx, id))) return refuse(secondStepErrors.sign_in_over())
    const { user } = account
    if (used.left !== undefined) {
      const data = { left: used.left }
      const told = { type: 'security.recovery_code_used', data, actor: { id: userId, source } } as const
      await tellOwner(services, trx, userId, told)
    }
    const { amr } = used
    const session = await signIn(services, trx, { user, method: 'password', amr, remember: tried.remember, source })
    return { user: { ...user, lastLoginAt: now() }, session }
  })
  if (done) return done
  await recordAlone(services, {
    action: 'session.refused',
    outcome: 'refused',
    method: 'password',
    actor: { id: userId, email, source },
    data: { reason: 'wrong_second_step' },
  })
  return refuse(secondStepErrors.second_step_wrong())
}

export const isSecondStepWrong = (error: unknown): boolean =>
  error instanceof AppError && error.reason === ('second_step_wrong' satisfies keyof typeof secondStepErrors)
