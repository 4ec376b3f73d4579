import { recordEvent } from '../audit/record-event.ts'
import { AppError } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { addressKey, LIMITS } from '../http/limits.ts'
import type { Services } from '../services.ts'
import { refuseDisabled } from '../users/account-standing.ts'
import { holdAccount } from '../users/hold-account.ts'
import { normalizeEmail } from '../users/email-address.ts'
import { normalizePassword } from '../users/password-rules.ts'
import type { User } from '../users/user.ts'
import { type Account, findAccountByEmail } from '../users/user-store.ts'
import { signIn } from './sign-in.ts'
import type { StartedSession } from './start-session.ts'

interface Attempt {
  email: string
  password: string
  rememberMe?: boolean
}

/** Email and password. Whether the email is known shows neither in the answer nor in its time. */
export async function login(
  services: Services,
  asked: Attempt,
  caller: Caller,
): Promise<{ user: User; session: StartedSession }> {
  const { db, limits } = services
  const email = normalizeEmail(asked.email)
  const address = addressKey(caller.ipAddress)
  const account = await limits.attempt(
    [
      [LIMITS.loginByEmail, `${email} ${address}`],
      [LIMITS.loginByAddress, address],
    ],
    () => provePassword(services, email, normalizePassword(asked.password), caller),
    (error) => error instanceof AppError && error.code === 'wrong_credentials',
  )
  return db.transaction().execute(async (trx) => {
    // The proof took a while: the account may have been switched off in the meantime, or be just now.
    const current = await holdAccount(trx, account.user.id)
    if (!current) throw wrongCredentials()
    refuseDisabled(current)
    const remember = asked.rememberMe ?? false
    const session = await signIn(services, trx, {
      user: current.user,
      method: 'password',
      amr: ['pwd'],
      remember,
      caller,
    })
    return { user: { ...current.user, lastLoginAt: services.now() }, session }
  })
}

async function provePassword(services: Services, email: string, password: string, caller: Caller): Promise<Account> {
  const { db, passwords } = services
  const account = await findAccountByEmail(db, email)
  const stored = account?.passwordHash ?? null
  const isRight = await passwords.verify(stored, password)
  if (!account || stored === null || !isRight) {
    await refused(services, email, account, caller, 'wrong_credentials')
    throw wrongCredentials()
  }
  if (account.disabledAt !== null) await refused(services, email, account, caller, 'account_disabled')
  refuseDisabled(account)
  if (passwords.isOutdated(stored)) {
    const renewed = await passwords.hash(password)
    await db
      .updateTable('users')
      .set({ password_hash: renewed })
      .where('id', '=', account.user.id)
      .where('password_hash', '=', stored)
      .execute()
  }
  return account
}

const wrongCredentials = () => new AppError('wrong_credentials', 'The email or the password is wrong.')

const refused = (
  services: Services,
  email: string,
  account: Account | undefined,
  caller: Caller,
  reason: string,
): Promise<void> =>
  recordEvent(services, services.db, {
    action: 'session.refused',
    outcome: 'refused',
    actor: { id: account?.user.id ?? null, email, caller },
    data: { method: 'password', reason },
  })
