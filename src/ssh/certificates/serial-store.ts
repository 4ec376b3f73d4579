import { sql } from 'kysely'
import type { Trx } from '../../storage/database.ts'
import { writeStatement, type Values } from '../../storage/statement.ts'

/** The largest serial that the column holds: 64 bits with a sign. */
export const LAST_SERIAL = 2n ** 63n - 1n

const raiseSerial = writeStatement((db, value: Values<{ counter: string; by: bigint }>) =>
  db
    .updateTable('counters')
    .set({ value: sql`value + ${value('by')}` })
    .where('name', '=', value('counter'))
    .returning(sql<string>`cast(value as text)`.as('last')),
)

/**
 * The next serial: one more than the one before, on all replicas together. The serial of a transaction that fails is given
 * out again. All transactions that issue certificates wait for each other at this one row, so claim it as late as
 * possible. The counter is raised by a bigint: SQLite would store the sum with a JavaScript number as a floating-point
 * number, which loses digits.
 */
export async function claimSerial(trx: Trx): Promise<bigint> {
  const [row] = await raiseSerial(trx, { counter: 'ssh_serial', by: 1n })
  if (!row) throw new Error('The counter ssh_serial is gone.')
  return BigInt(row.last)
}

/** The last serial that was issued. Until the transaction ends no other is. */
export async function lockLastSerial(trx: Trx): Promise<bigint> {
  const { value } = await trx
    .updateTable('counters')
    .set({ value: sql`value` })
    .where('name', '=', 'ssh_serial')
    .returning(sql<string>`cast(value as text)`.as('value'))
    .executeTakeFirstOrThrow()
  return BigInt(value)
}

/** Serials go on after this one. */
export async function markLastSerial(trx: Trx, serial: bigint): Promise<void> {
  await trx.updateTable('counters').set({ value: serial }).where('name', '=', 'ssh_serial').execute()
}
