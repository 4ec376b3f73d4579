import type { Trx } from '../../storage/database.ts'

declare const isChecked: unique symbol

/**
 * A transaction in which what its actor gains by the change is checked before the commit. `withoutEscalation` makes one. Functions
 * that write roles, assignments, attributes, clients, sites, SSH hosts or what is remembered of hosts take this type, so that a
 * new route that forgets the check does not compile. The compiler does not see a function that writes these tables in a plain
 * transaction: a test finds each in the source, and lists those that may, with the reason. Usernames, confirmed addresses and
 * settings are checked as well, but their stores do not ask for this type.
 */
export type CheckedTrx = Trx & { readonly [isChecked]: true }

/**
 * For what gives its actor nothing, or what nobody asks for over the API: the role of every new account, the first
 * administrator, the operator at the terminal. A test names the files that may use it.
 */
export const skipEscalationCheck = (trx: Trx): CheckedTrx => trx as CheckedTrx
