import { sql, type SqlBool } from 'kysely'
import { refuse } from '../../errors.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import { readStatement, type Values } from '../../storage/statement.ts'
import { readSettings } from './settings-store.ts'

/** Refuses an address that people may not choose themselves. */
export async function refuseForeignDomain(db: Reader, config: Config, email: string): Promise<void> {
  const { allowedEmailDomains } = await readSettings(db, config)
  const domain = email.slice(email.lastIndexOf('@') + 1)
  if (allowedEmailDomains.length > 0 && !allowedEmailDomains.includes(domain))
    refuse('email_domain', `Addresses of ${domain} are not accepted here.`)
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

export const refuseToGiveAccess = (): never =>
  refuse('email_unconfirmed', 'Confirm your email address first, with the link that was sent to it.')
