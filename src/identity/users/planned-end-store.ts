import { sql } from 'kysely'
import type { Trx } from '../../storage/database.ts'
import { readStatement, type Values } from '../../storage/statement.ts'

const plannedDisable = readStatement((db, value: Values<{ userId: string }>) =>
  db
    .selectFrom('lifecycle_actions')
    .select((eb) => eb.fn.min('execute_at').as('at'))
    .where('user_id', '=', value('userId'))
    .where(sql<boolean>`status in ('pending', 'running')`)
    .where('action', '=', sql.lit('disable'))
    .where('discreet', '=', sql.lit(0)),
)

/** When the account will be disabled, if that is planned and need not be kept from its user. The caller has locked the user. */
export const findPlannedEnd = async (trx: Trx, userId: string): Promise<number | undefined> =>
  (await plannedDisable(trx, { userId }))[0]?.at ?? undefined
