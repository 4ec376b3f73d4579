import { sql, type SqlBool } from 'kysely'
import { Type } from 'typebox'
import { refuse, atField, AppError } from '../../errors.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import { readStatement, type Values } from '../../storage/statement.ts'
import { accountExists } from './account-state.ts'
import { readSettings } from './settings-store.ts'
import { userErrors } from './user-errors.ts'

/** One `@`, no white space, no control characters, nothing that a mail header would read as more than an address. */
export const EMAIL_PATTERN = String.raw`^[^\s@\u0000-\u001f\u007f<>()\[\],;:\\"]{1,64}@[^\s@\u0000-\u001f\u007f<>()\[\],;:\\"]{1,189}$`

export const MAX_EMAIL = 254

export const Email = Type.String({
  maxLength: MAX_EMAIL,
  pattern: EMAIL_PATTERN,
  description: 'An email address; upper and lower case are not distinguished.',
})

/** Addresses are compared without regard to case, so they are stored in lower case. */
export const normalizeEmail = (email: string): string => email.toLowerCase().normalize('NFC')

/** Refuses an address that people may not choose themselves. */
export async function refuseForeignDomain(db: Reader, config: Config, email: string): Promise<void> {
  const { allowedEmailDomains } = await readSettings(db, config)
  const domain = email.slice(email.lastIndexOf('@') + 1)
  if (allowedEmailDomains.length > 0 && !allowedEmailDomains.includes(domain))
    refuse(atField('email', userErrors.email_domain_not_accepted({ domain })))
}

/**
 * The rule of `refuseUnconfirmed` as part of a query over `users`: true for an account that has to confirm its address first.
 * The environment can't set the domains.
 */
export const mustConfirmFirst = sql<SqlBool>`(users.never_confirmed = 1 and exists (
  select 1 from settings where settings.name = 'allowedEmailDomains' and settings.value <> '[]'))`

const neverConfirmed = readStatement((db, value: Values<{ userId: string }>) =>
  db.selectFrom('users').select('never_confirmed').where('id', '=', value('userId')),
)

/**
 * While only some domains may register, an account that registered itself gives no access elsewhere before its address is
 * confirmed: anybody can claim an address.
 */
export async function refuseUnconfirmed(trx: Trx, config: Config, userId: string): Promise<void> {
  if (await mustConfirm(trx, config, userId)) refuseToGiveAccess()
}

/** The same as a question, for callers that refuse later. */
export async function mustConfirm(trx: Trx, config: Config, userId: string): Promise<boolean> {
  const [user] = await neverConfirmed(trx, { userId })
  return user?.never_confirmed === 1 && (await readSettings(trx, config)).allowedEmailDomains.length > 0
}

export const refuseToGiveAccess = (): never => refuse(userErrors.email_not_confirmed())

/**
 * Refuses an address that another account had until a few days ago: whoever reads mail there can still restore it. Call it
 * after the statement that takes the address, which waits for a change of that account that is under way.
 */
export async function refuseReservedEmail(
  db: Reader,
  { email, userId, now }: { email: string; userId: string; now: number },
): Promise<void> {
  const row = await db
    .selectFrom('email_tokens')
    .innerJoin('users', 'users.id', 'email_tokens.user_id')
    .select('email_tokens.user_id')
    .where('email_tokens.other_email', '=', email)
    // Written like the condition of the partial index, which serves it.
    .where(sql<boolean>`email_tokens.purpose = 'email_revert'`)
    .where('email_tokens.expires_at', '>', now)
    .where('email_tokens.user_id', '!=', userId)
    .where(accountExists)
    .executeTakeFirst()
  if (row) refuseTakenEmail()
}

export const refuseTakenEmail = (): never => refuse(atField('email', userErrors.email_taken()))

/** Whoever gets this for many addresses is guessing. */
export const isEmailTaken = (error: unknown): boolean =>
  error instanceof AppError && error.reason === ('email_taken' satisfies keyof typeof userErrors)
