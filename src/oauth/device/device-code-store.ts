import { type Selectable, sql } from 'kysely'
import type { Database, Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { type Values, readStatement, writeStatement } from '../../storage/statement.ts'

type Row = Selectable<Schema['oauth_device_codes']>
export type NewDeviceCode = Omit<Row, 'last_polled_at' | 'decision'>

const insert = writeStatement((db, value: Values<NewDeviceCode>) =>
  db
    .insertInto('oauth_device_codes')
    .values({
      device_code_hash: value('device_code_hash'),
      user_code_mac: value('user_code_mac'),
      client_id: value('client_id'),
      scope: value('scope'),
      code_challenge: value('code_challenge'),
      device_name: value('device_name'),
      ip_address: value('ip_address'),
      country: value('country'),
      city: value('city'),
      region: value('region'),
      user_agent: value('user_agent'),
      interval_ms: value('interval_ms'),
      last_polled_at: null,
      decision: null,
      created_at: value('created_at'),
      expires_at: value('expires_at'),
    })
    .onConflict((conflict) => conflict.column('user_code_mac').doNothing())
    .returning('device_code_hash'),
)

/** False when another device has the same user code. */
export const addDeviceCode = async (db: Database, code: NewDeviceCode): Promise<boolean> =>
  (await insert(db, code)).length > 0

const byDeviceCode = readStatement((db, value: Values<{ hash: string }>) =>
  db
    .selectFrom('oauth_device_codes')
    .where('device_code_hash', '=', value('hash'))
    .select([
      'client_id as clientId',
      'code_challenge as challenge',
      'decision',
      'interval_ms as intervalMs',
      'last_polled_at as lastPolledAt',
      'created_at as createdAt',
      'expires_at as expiresAt',
    ]),
)

export type PolledCode = NonNullable<Awaited<ReturnType<typeof findDeviceCode>>>

export async function findDeviceCode(db: Reader, hash: string) {
  const [row] = await byDeviceCode(db, { hash })
  return row
}

const notePoll = writeStatement((db, value: Values<{ hash: string; now: number; latest: number }>) =>
  db
    .updateTable('oauth_device_codes')
    .set({ last_polled_at: value('now') })
    .where('device_code_hash', '=', value('hash'))
    .where('decision', 'is', null)
    .where((eb) =>
      eb.or([
        eb('last_polled_at', 'is', null),
        eb('last_polled_at', '<=', sql<number>`${value('latest')} - interval_ms`),
        // Written under a wrong clock.
        eb('last_polled_at', '>', sql<number>`${value('now')} + interval_ms`),
      ]),
    )
    .returning('device_code_hash'),
)

/**
 * Notes a poll, unless the one before it was after `latest` less the interval: then false. Of concurrent polls on all
 * replicas one gets true.
 */
export const claimPoll = async (db: Database, poll: { hash: string; now: number; latest: number }): Promise<boolean> =>
  (await notePoll(db, poll)).length > 0

const slowDown = writeStatement((db, value: Values<{ hash: string; now: number; addedMs: number; maxMs: number }>) =>
  db
    .updateTable('oauth_device_codes')
    .set({ interval_ms: sql<number>`interval_ms + ${value('addedMs')}`, last_polled_at: value('now') })
    .where('device_code_hash', '=', value('hash'))
    .where('interval_ms', '<', value('maxMs')),
)

/** Makes the interval longer, up to a limit. */
export async function markPolledTooSoon(
  db: Database,
  poll: { hash: string; now: number; addedMs: number; maxMs: number },
): Promise<void> {
  await slowDown(db, poll)
}

/** The request of a device that waits for a decision, by its user code. */
export async function findWaiting(db: Reader, mac: string, now: number): Promise<Row | undefined> {
  return db
    .selectFrom('oauth_device_codes')
    .selectAll()
    .where('user_code_mac', '=', mac)
    .where('decision', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Records the decision. False when it was decided before, or has expired. */
export async function markDecided(
  trx: Trx,
  { hash, decision, now }: { hash: string; decision: 'approved' | 'denied'; now: number },
): Promise<boolean> {
  const rows = await trx
    .updateTable('oauth_device_codes')
    .set({ decision })
    .where('device_code_hash', '=', hash)
    .where('decision', 'is', null)
    .where('expires_at', '>', now)
    .returning('device_code_hash')
    .execute()
  return rows.length > 0
}

/** Ends every request of a client's devices. */
export async function deleteDeviceCodesOfClient(trx: Trx, clientId: string): Promise<void> {
  await trx.deleteFrom('oauth_device_codes').where('client_id', '=', clientId).execute()
}
