import type { Insertable, Selectable } from 'kysely'
import type { Db, Schema, Trx } from '../storage/schema.ts'
import type { Values } from '../storage/statement.ts'
import { statementForMany } from '../storage/statement-for-many.ts'
import type { UserSshKey } from './ssh-key.ts'

type Row = Selectable<Schema['ssh_keys']>

const toSshKey = (row: Row): UserSshKey => ({
  id: row.id,
  name: row.name,
  publicKey: row.public_key,
  fingerprint: row.fingerprint,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
})

/** Oldest first. */
export async function listSshKeys(db: Db, userId: string): Promise<UserSshKey[]> {
  const rows = await db
    .selectFrom('ssh_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(toSshKey)
}

export async function countSshKeys(db: Db, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('ssh_keys')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}

/** Breaks the rule `ssh_keys.fingerprint` when anybody has this key. */
export async function insertSshKey(db: Db, key: Insertable<Schema['ssh_keys']>): Promise<UserSshKey> {
  return toSshKey(await db.insertInto('ssh_keys').values(key).returningAll().executeTakeFirstOrThrow())
}

/** The key that was deleted; nothing when this user has none of that id. */
export async function deleteSshKey(db: Db, id: string, userId: string): Promise<UserSshKey | undefined> {
  const row = await db
    .deleteFrom('ssh_keys')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst()
  return row && toSshKey(row)
}

const hold = statementForMany((db, ids) =>
  db
    .selectFrom('ssh_keys')
    .select(['id', 'user_id', 'public_key', 'fingerprint', 'last_used_at'])
    .where('id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate(),
)

export interface HeldKey {
  id: string
  userId: string
  publicKey: string
  fingerprint: string
  lastUsedAt: number | null
}

/** Those of these keys that there are. From here to the end of the transaction nobody can delete them. */
export async function holdSshKeys(trx: Db, ids: string[]): Promise<HeldKey[]> {
  const rows = await hold(trx, ids.toSorted(), {})
  return rows.map((row) => ({
    id: row.id,
    userId: row.user_id,
    publicKey: row.public_key,
    fingerprint: row.fingerprint,
    lastUsedAt: row.last_used_at,
  }))
}

const noteUse = statementForMany((db, ids, value: Values<{ at: number }>) =>
  db
    .updateTable('ssh_keys')
    .set({ last_used_at: value('at') })
    .where('id', 'in', ids),
)

/** `lastUsedAt` is written no more often than this. */
const NOTED_MS = 60_000

/** Notes that these keys are used, those whose last use is not as good as now. */
export async function noteSshKeysUsed(trx: Db, keys: HeldKey[], at: number): Promise<void> {
  const due = keys.filter(({ lastUsedAt }) => lastUsedAt === null || lastUsedAt <= at - NOTED_MS)
  await noteUse(
    trx,
    due.map(({ id }) => id),
    { at },
  )
}

/** Deletes all saved keys of a user. Answers how many there were. */
export async function deleteSshKeysOfUser(trx: Trx, userId: string): Promise<number> {
  const deleted = await trx.deleteFrom('ssh_keys').where('user_id', '=', userId).returning('user_id').execute()
  return deleted.length
}
