import type { ExpressionBuilder } from 'kysely'
import type { Schema } from '../../storage/schema.ts'
import { userErrors } from './user-errors.ts'

/**
 * Decides whether an account may act; nothing else does. Every path that turns a credential into access uses it: a query
 * through `accountMayAct`, code that has loaded the account through `mayAct` or `refuseDisabled`.
 */
export const accountMayAct = (eb: ExpressionBuilder<Schema, 'users'>) => eb('users.disabled_at', 'is', null)

/** The opposite. Also true for deleted accounts: without them (`accountExists`), the partial index `users_disabled` serves it. */
export const accountIsDisabled = (eb: ExpressionBuilder<Schema, 'users'>) => eb('users.disabled_at', 'is not', null)

/** The same on a loaded account. */
export const mayAct = (account: { disabledAt: number | null }): boolean => account.disabledAt === null

/**
 * A deleted account counts as disabled, and its row stays until everything that refers to it has been removed. A query without
 * `accountMayAct` uses this condition, so that a deleted account is never found.
 */
export const accountExists = (eb: ExpressionBuilder<Schema, 'users'>) => eb('users.deleted_at', 'is', null)

/** For sign-in, after the password or passkey was verified: only its owner learns that the account is disabled. */
export function refuseDisabled(account: { disabledAt: number | null }): void {
  if (!mayAct(account)) throw userErrors.account_disabled()
}
