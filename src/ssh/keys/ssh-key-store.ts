import type { Insertable, Selectable } from 'kysely'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { writeStatement, type Values } from '../../storage/statement.ts'
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
export async function listSshKeys(db: Reader, userId: string): Promise<UserSshKey[]> {
  const rows = await db
    .selectFrom('ssh_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(toSshKey)
}

export async function countSshKeys(db: Reader, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('ssh_keys')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}

/** Fails as a duplicate of `ssh_keys.fingerprint` when any user has this key. */
export async function addSavedKey(trx: Trx, key: Insertable<Schema['ssh_keys']>): Promise<UserSshKey> {
  return toSshKey(await trx.insertInto('ssh_keys').values(key).returningAll().executeTakeFirstOrThrow())
}

/** The key that was deleted; undefined when this user has none of that id. */
export async function deleteSshKey(trx: Trx, id: string, userId: string): Promise<UserSshKey | undefined> {
  const row = await trx
    .deleteFrom('ssh_keys')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst()
  return row && toSshKey(row)
}

const ownKey = writeStatement((db, value: Values<{ id: string; userId: string }>) =>
  db
    .selectFrom('ssh_keys')
    .select(['id', 'public_key', 'fingerprint', 'last_used_at'])
    .where('id', '=', value('id'))
    .where('user_id', '=', value('userId'))
    .forNoKeyUpdate(),
)

export interface HeldKey {
  id: string
  publicKey: string
  fingerprint: string
  lastUsedAt: number | null
}

/** A saved key of this user. Until the transaction ends it can't be deleted. */
export async function holdSshKey(
  trx: Trx,
  { id, userId }: { id: string; userId: string },
): Promise<HeldKey | undefined> {
  const [row] = await ownKey(trx, { id, userId })
  return row && { id: row.id, publicKey: row.public_key, fingerprint: row.fingerprint, lastUsedAt: row.last_used_at }
}

const markUsed = writeStatement((db, value: Values<{ id: string; at: number }>) =>
  db
    .updateTable('ssh_keys')
    .set({ last_used_at: value('at') })
    .where('id', '=', value('id')),
)

export async function markSshKeyUsed(trx: Trx, id: string, at: number): Promise<void> {
  await markUsed(trx, { id, at })
}

/** Deletes all keys of a user that were saved at this time or later. Returns their ids. */
export async function deleteSshKeysOfUser(trx: Trx, userId: string, since = 0): Promise<string[]> {
  const deleted = await trx
    .deleteFrom('ssh_keys')
    .where('user_id', '=', userId)
    .where('created_at', '>=', since)
    .returning('id')
    .execute()
  return deleted.map(({ id }) => id)
}
