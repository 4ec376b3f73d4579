import type { ExpressionBuilder } from 'kysely'
import { AppError } from '../errors.ts'
import type { Schema } from '../storage/schema.ts'

/**
 * The one place that decides whether an account may still act. Every path that turns a credential into access asks here:
 * in a query through `accountMayAct`, on a loaded account through `refuseDisabled`.
 */
export const accountMayAct = (eb: ExpressionBuilder<Schema, 'users'>) => eb('users.disabled_at', 'is', null)

/**
 * An account that was deleted is unknown to everybody. Its row, which counts as disabled, stays until what hangs on it has been
 * removed; whoever looks for accounts without asking whether they may act asks this.
 */
export const accountExists = (eb: ExpressionBuilder<Schema, 'users'>) => eb('users.deleted_at', 'is', null)

export const DISABLED_MESSAGE = 'Your account has been disabled.'

/** Told only to whoever has just proved that the account is theirs. */
export function refuseDisabled(account: { disabledAt: number | null }): void {
  if (account.disabledAt !== null) throw new AppError('account_disabled', DISABLED_MESSAGE)
}
