import type { Trx } from '../storage/database.ts'

declare const judged: unique symbol

/**
 * A transaction in which what its actor gains by the change is judged before the commit. `withoutGain` makes one, and
 * whatever writes roles, assignments, attributes, clients, sites or SSH hosts takes this type: a new route that forgets to
 * judge does not compile.
 */
export type JudgedTrx = Trx & { readonly [judged]: true }

/**
 * For what gives its actor nothing, or what nobody asks for over the API: the role of every new account, the first
 * administrator, the operator at the terminal. A test names the files that may use it.
 */
export const withoutJudging = (trx: Trx): JudgedTrx => trx as JudgedTrx
