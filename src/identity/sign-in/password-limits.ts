import { AppError } from '../../errors.ts'
import { digest } from '../../platform/crypto/digest.ts'
import { addressKey } from '../../platform/limits/address-queue.ts'
import type { Limit } from '../../platform/limits/failure-counts.ts'
import { LIMITS } from '../../platform/limits/limits.ts'
import type { Services } from '../../platform/services.ts'
import { findKnownBrowserOf } from './known-browsers.ts'
import type { SignInSource } from './sign-in-source.ts'

type LimitServices = Pick<Services, 'db' | 'now' | 'limits'>

/**
 * Runs an attempt at the password of an account under the limits on failures. There may be no account with that email. With
 * `isGuess`, other errors count as well.
 */
export async function attemptPassword<T>(
  services: LimitServices,
  {
    email,
    source,
    isGuess,
  }: { email: string; source: SignInSource; isGuess?: ((error: unknown) => boolean) | undefined },
  run: () => Promise<T>,
): Promise<T> {
  const isFailure = (error: unknown): boolean => isWrongPassword(error) || isGuess?.(error) === true
  return services.limits.attempt(await limitsOf(services, email, source), run, isFailure)
}

const isWrongPassword = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'wrong_credentials' || error.code === 'wrong_password')

/**
 * Unknown browsers share a limit on the email, whatever their addresses. A browser that has signed in to this account before
 * has only a limit of its own, so that its owner gets in while others guess.
 */
async function limitsOf(services: LimitServices, email: string, source: SignInSource): Promise<[Limit, string][]> {
  const browser = await findKnownBrowser(services, email, source)
  if (browser !== undefined) return [[LIMITS.loginByKnownBrowser, browser]]
  const address = addressKey(source.ipAddress)
  return [
    [LIMITS.loginByEmailAndAddress, `${email} ${address}`],
    [LIMITS.loginByAddress, address],
    [LIMITS.loginFromAnywhere, email],
  ]
}

/**
 * The digest of the browser's token, if the browser is a known one of the account with this email. The work is the same
 * whether or not there is such an account.
 */
export async function findKnownBrowser(
  { db, now }: Pick<Services, 'db' | 'now'>,
  email: string,
  { browserTokens }: SignInSource,
): Promise<string | undefined> {
  if (browserTokens.length === 0) return undefined
  return findKnownBrowserOf(db.read, email, browserTokens.map(digest), now())
}
