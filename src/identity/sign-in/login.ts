import { recordAlone } from '../../platform/audit/record-event.ts'
import { issueToken } from '../../platform/crypto/digest.ts'
import { newId } from '../../platform/ids.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { addWaitingSignIn, countRecoveryCodes } from '../second-step/second-step-store.ts'
import type { SignedInSession } from '../sessions/start-session.ts'
import { refuseDisabled } from '../users/account-state.ts'
import { normalizeEmail } from '../users/email-address.ts'
import { lockAccount } from '../users/lock-user.ts'
import { normalizePassword } from '../users/password-rules.ts'
import { type Account, findAccountByEmail, replacePasswordHash } from '../users/user-store.ts'
import type { User } from '../users/user.ts'
import { attemptPassword } from './password-limits.ts'
import { proveUntilUnchanged } from './prove-owner.ts'
import type { AwaitedStep } from './second-step-contracts.ts'
import { signInErrors } from './sign-in-errors.ts'
import type { SignInSource } from './sign-in-source.ts'
import { signIn } from './sign-in.ts'

interface LoginRequest {
  email: string
  password: string
  rememberMe?: boolean
}

/** A session, or what it waits for. */
export type LoggedIn = { user: User; session: SignedInSession } | { secondStep: AwaitedStep; browserToken: string }

/**
 * Email and password. Neither the answer nor its time shows whether the email has an account. With a second step, no session begins,
 * and the browser becomes no known one.
 */
export async function login(services: Services, request: LoginRequest, source: SignInSource): Promise<LoggedIn> {
  const email = normalizeEmail(request.email)
  const prove = () => provePassword(services, email, normalizePassword(request.password), source)
  return attemptPassword(services, { email, source }, () =>
    proveUntilUnchanged(prove, (proved) =>
      startSessionIfUnchanged(services, proved, request.rememberMe ?? false, source),
    ),
  )
}

/**
 * Verifying the password took a while. The account may have been disabled since, or have a new password: a sign-in that was
 * under way during a reset must not start a session. Undefined when the password is no longer the one that was proved.
 */
const startSessionIfUnchanged = (
  services: Services,
  proved: Proof,
  remember: boolean,
  source: SignInSource,
): Promise<LoggedIn | undefined> =>
  services.db.transaction(async (trx) => {
    const current = await lockAccount(trx, proved.userId)
    if (!current) throw wrongCredentials()
    if (current.passwordHash !== proved.hash) return undefined
    refuseDisabled(current)
    if (current.hasSecondStep) return awaitSecondStep(services, trx, current, remember)
    const { user } = current
    const session = await signIn(services, trx, { user, method: 'password', amr: ['pwd'], remember, source })
    return { user: { ...user, lastLoginAt: services.now() }, session }
  })

async function awaitSecondStep(
  { now, random }: Pick<Services, 'now' | 'random'>,
  trx: Trx,
  { user, passwordNumber }: Account,
  remembered: boolean,
): Promise<LoggedIn> {
  const { plaintext: browserToken, hash: browserHash } = issueToken(random, '')
  const id = newId()
  await addWaitingSignIn(trx, { id, userId: user.id, browserHash, passwordNumber, remembered, now: now() })
  const hasCodes = (await countRecoveryCodes(trx, user.id)) > 0
  return { secondStep: { id, methods: hasCodes ? ['totp', 'recovery_code'] : ['totp'] }, browserToken }
}

interface Proof {
  userId: string
  /** The stored hash that the password matched. */
  hash: string
}

async function provePassword(
  services: Services,
  email: string,
  password: string,
  source: SignInSource,
): Promise<Proof> {
  const { db, passwords } = services
  const account = await findAccountByEmail(db.read, email)
  const stored = account?.passwordHash ?? null
  const isRight = await passwords.verify(stored, password, source.ipAddress)
  if (!account || stored === null || !isRight) {
    await recordFailedSignIn(services, email, account, source, 'wrong_credentials')
    throw wrongCredentials()
  }
  if (account.disabledAt !== null) await recordFailedSignIn(services, email, account, source, 'account_disabled')
  refuseDisabled(account)
  const { id: userId } = account.user
  return {
    userId,
    hash: passwords.isOutdated(stored) ? await rehash(services, userId, stored, password, source) : stored,
  }
}

/** Returns the new hash, or the old one when that was replaced meanwhile. */
async function rehash(
  { db, passwords }: Services,
  userId: string,
  stored: string,
  password: string,
  source: SignInSource,
): Promise<string> {
  const renewed = await passwords.hash(password, source.ipAddress)
  return (await db.transaction((trx) => replacePasswordHash(trx, userId, { from: stored, to: renewed })))
    ? renewed
    : stored
}

const wrongCredentials = () => signInErrors.email_or_password_wrong()

const recordFailedSignIn = (
  services: Services,
  email: string,
  account: Account | undefined,
  source: SignInSource,
  reason: string,
): Promise<void> =>
  recordAlone(services, {
    action: 'session.refused',
    outcome: 'refused',
    method: 'password',
    actor: { id: account?.user.id ?? null, email, source },
    data: { reason },
  })
