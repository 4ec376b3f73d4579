import { sql } from 'kysely'
import type { Reader, Trx } from '../../storage/database.ts'
import { readStatement, type Values } from '../../storage/statement.ts'

/** Whose certificates a revocation list is about. The two authorities share one sequence of serials. */
export type Holder = 'user' | 'host'

const VERSIONS = { user: 'krl_version', host: 'host_krl_version' } as const
const TABLES = { user: 'ssh_certificates', host: 'ssh_host_certificates' } as const

/**
 * Marks the revocation list as changed. Every transaction that revokes calls it, as its last statement: all revocations
 * update this one row, so no transaction should keep it locked while it waits for something else.
 */
export async function raiseKrlVersion(trx: Trx, holder: Holder = 'user'): Promise<void> {
  await trx
    .updateTable('counters')
    .set({ value: sql`value + 1` })
    .where('name', '=', VERSIONS[holder])
    .execute()
  trx.signal('revocations-changed', null)
}

const versionText = readStatement((db, value: Values<{ counter: string }>) =>
  db
    .selectFrom('counters')
    .select(sql<string>`cast(value as text)`.as('version'))
    .where('name', '=', value('counter')),
)

/** Grows with every revocation that is committed, on any replica. */
export async function findKrlVersion(db: Reader, holder: Holder = 'user'): Promise<bigint | undefined> {
  const [row] = await versionText(db, { counter: VERSIONS[holder] })
  return row && BigInt(row.version)
}

/** The version of the list with what was just revoked in this transaction, for a column. */
export const KRL_VERSION = sql<number>`(select value from counters where name = ${sql.lit(VERSIONS.user)})`

/** Raises the versions of both lists to this one, or by one when they are there already. */
export async function raiseKrlVersionsTo(trx: Trx, version: bigint): Promise<void> {
  await trx
    .updateTable('counters')
    .set({ value: sql`case when value < ${version} then ${version} else value + 1 end` })
    .where('name', 'in', Object.values(VERSIONS))
    .execute()
  trx.signal('revocations-changed', null)
}

export interface RevokedRange {
  first: bigint
  last: bigint
  revokedAt: number
  /** When the last certificate that it may be about has expired. */
  validBefore: number
}

export async function addRevokedRange(trx: Trx, range: RevokedRange): Promise<void> {
  await trx
    .insertInto('ssh_revoked_ranges')
    .values({
      first_serial: range.first,
      last_serial: range.last,
      revoked_at: range.revokedAt,
      valid_before: range.validBefore,
    })
    .execute()
}

/** Ranges whose certificates may be valid after that time; there is one for each restored backup. */
export async function listRevokedRanges(db: Reader, validAfter: number): Promise<RevokedRange[]> {
  const rows = await db
    .selectFrom('ssh_revoked_ranges')
    .select([
      sql<string>`cast(first_serial as text)`.as('first'),
      sql<string>`cast(last_serial as text)`.as('last'),
      'revoked_at',
      'valid_before',
    ])
    .where('valid_before', '>', validAfter)
    .orderBy('first_serial')
    .execute()
  return rows.map(({ first, last, revoked_at, valid_before }) => ({
    first: BigInt(first),
    last: BigInt(last),
    revokedAt: revoked_at,
    validBefore: valid_before,
  }))
}

/** A position in the order in which certificates expire. */
export interface ExpiryPosition {
  validBefore: number
  serial: bigint
}

/** Serials that are revoked, and since when, in epoch seconds. */
export interface Revoked {
  serials: BigUint64Array
  revokedAt: Uint32Array
}

interface PositionRange extends ExpiryPosition {
  endValidBefore: number
  endSerial: bigint
}

/** The same statement for both tables. Their columns of these names are the same. */
const forEachHolder = <T>(build: (table: 'ssh_certificates') => T): Record<Holder, T> => ({
  user: build(TABLES.user),
  host: build(TABLES.host as typeof TABLES.user),
})

const positionAfter = forEachHolder((table) =>
  readStatement((db, value: Values<ExpiryPosition & { skip: number }>) =>
    db
      .selectFrom(table)
      .select([sql<string>`cast(serial as text)`.as('serial_text'), 'valid_before'])
      .where('revoked_at', 'is not', null)
      .where(sql<boolean>`(valid_before, serial) > (${value('validBefore')}, ${value('serial')})`)
      .orderBy('valid_before')
      .orderBy('serial')
      .limit(1)
      .offset(value('skip')),
  ),
)

/** The position `count` revocations after another one; undefined when there are not so many. */
export async function findPositionAfter(
  db: Reader,
  holder: Holder,
  position: ExpiryPosition,
  count: number,
): Promise<ExpiryPosition | undefined> {
  const [row] = await positionAfter[holder](db, { ...position, skip: count - 1 })
  return row && { validBefore: row.valid_before, serial: BigInt(row.serial_text) }
}

const revokedBetween = forEachHolder((table) =>
  readStatement((db, value: Values<PositionRange>) =>
    db
      .selectFrom(table)
      .select(sql<string | null>`string_agg(serial || ',' || (revoked_at / 1000), ',')`.as('listed'))
      .where('revoked_at', 'is not', null)
      .where(sql<boolean>`(valid_before, serial) > (${value('validBefore')}, ${value('serial')})`)
      .where(sql<boolean>`(valid_before, serial) <= (${value('endValidBefore')}, ${value('endSerial')})`),
  ),
)

/** Revocations after one position, up to another. Read as one text, which takes half as long as reading rows. */
export async function listRevokedBetween(
  db: Reader,
  holder: Holder,
  after: ExpiryPosition,
  end: ExpiryPosition,
): Promise<Revoked> {
  const [row] = await revokedBetween[holder](db, { ...after, endValidBefore: end.validBefore, endSerial: end.serial })
  const numbers = row?.listed?.split(',') ?? []
  const count = numbers.length / 2
  const serials = new BigUint64Array(count)
  const revokedAt = new Uint32Array(count)
  for (let at = 0; at < count; at++) {
    serials[at] = BigInt(numbers[2 * at] ?? 0)
    revokedAt[at] = Number(numbers[2 * at + 1])
  }
  return { serials, revokedAt }
}
