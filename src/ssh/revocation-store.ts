import { sql } from 'kysely'
import type { Db } from '../storage/schema.ts'
import { statement, type Values } from '../storage/statement.ts'

/**
 * Says that the list of revocations is another one now. In the transaction of every revocation, and as its last
 * statement: all revocations meet at this one row, so nobody should hold it while waiting for something else.
 */
export async function raiseKrlVersion(db: Db): Promise<void> {
  await db
    .updateTable('counters')
    .set({ value: sql`value + 1` })
    .where('name', '=', 'krl_version')
    .execute()
}

const versionText = statement((db, value: Values<{ counter: string }>) =>
  db
    .selectFrom('counters')
    .select(sql<string>`cast(value as text)`.as('version'))
    .where('name', '=', value('counter')),
)

/** Grows with every revocation that is committed, whichever copy made it. */
export async function findKrlVersion(db: Db): Promise<bigint> {
  const [row] = await versionText(db, { counter: 'krl_version' })
  if (!row) throw new Error('The counter krl_version is gone.')
  return BigInt(row.version)
}

export interface RevokedSerial {
  serial: bigint
  revokedAt: number
  validBefore: number
}

/** Where a page of revocations ended. */
export type Place = Pick<RevokedSerial, 'validBefore' | 'serial'>

const revokedAfter = statement((db, value: Values<{ validBefore: number; serial: bigint; limit: number }>) =>
  db
    .selectFrom('ssh_certificates')
    .select([sql<string>`cast(serial as text)`.as('serial_text'), 'revoked_at', 'valid_before'])
    .where('revoked_at', 'is not', null)
    .where(sql<boolean>`(valid_before, serial) > (${value('validBefore')}, ${value('serial')})`)
    .orderBy('valid_before')
    .orderBy('serial')
    .limit(value('limit')),
)

/** Revocations in the order in which their certificates expire, from after a place on. */
export async function listRevokedAfter(db: Db, place: Place, limit: number): Promise<RevokedSerial[]> {
  const rows = await revokedAfter(db, { ...place, limit })
  return rows.map((row) => ({
    serial: BigInt(row.serial_text),
    revokedAt: row.revoked_at ?? 0,
    validBefore: row.valid_before,
  }))
}
