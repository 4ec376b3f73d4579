import type { ExpressionBuilder, Insertable, Selectable } from 'kysely'
import { Type } from 'typebox'
import { Nullable, Time } from '../../platform/http/contracts.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { writeStatement, type Values } from '../../storage/statement.ts'

/** A saved public key, as its owner sees it. */
export const UserSshKey = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    publicKey: Type.String({ description: 'The line of its .pub file.' }),
    fingerprint: Type.String({ description: 'In the format of ssh-keygen -l.' }),
    createdAt: Time,
    lastUsedAt: Nullable(Time),
    ephemeral: Type.Boolean({ description: 'Deleted by itself when its last certificate expires.' }),
  },
  { title: 'UserSshKey' },
)
export type UserSshKey = Type.Static<typeof UserSshKey>

type Row = Selectable<Schema['ssh_keys']>

const toSshKey = (row: Row): UserSshKey => ({
  id: row.id,
  name: row.name,
  publicKey: row.public_key,
  fingerprint: row.fingerprint,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  ephemeral: row.ephemeral_until !== null,
})

/**
 * What stands in place of a key that was given up. Its row stays until its certificates have expired, so that whatever revokes
 * the certificates of a person's keys finds them.
 */
const GIVEN_UP = ''

/** An ephemeral key is gone when its time has come, also before its row is deleted, and when it was given up. */
const keyExists = (now: number) => (eb: ExpressionBuilder<Schema, 'ssh_keys'>) =>
  eb.and([
    eb('public_key', '!=', GIVEN_UP),
    eb.or([eb('ephemeral_until', 'is', null), eb('ephemeral_until', '>', now)]),
  ])

/** Oldest first. */
export async function listSshKeys(db: Reader, userId: string, now: number): Promise<UserSshKey[]> {
  const rows = await db
    .selectFrom('ssh_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .where(keyExists(now))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(toSshKey)
}

export async function countSshKeys(db: Reader, userId: string, now: number): Promise<number> {
  const { count } = await db
    .selectFrom('ssh_keys')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where(keyExists(now))
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

/** The same, of which only the row stays. Undefined also for a key that is not ephemeral, or was given up before. */
export async function giveUpEphemeralKey(trx: Trx, id: string, userId: string): Promise<UserSshKey | undefined> {
  const row = await trx
    .updateTable('ssh_keys')
    .set({ public_key: GIVEN_UP })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('ephemeral_until', 'is not', null)
    .where('public_key', '!=', GIVEN_UP)
    .returningAll()
    .executeTakeFirst()
  return row && toSshKey(row)
}

const ownKey = writeStatement((db, value: Values<{ id: string; userId: string; now: number }>) =>
  db
    .selectFrom('ssh_keys')
    .select(['id', 'public_key', 'fingerprint', 'last_used_at', 'ephemeral_until'])
    .where('id', '=', value('id'))
    .where('user_id', '=', value('userId'))
    .where(keyExists(value('now')))
    .forNoKeyUpdate(),
)

export interface LockedKey {
  id: string
  publicKey: string
  fingerprint: string
  lastUsedAt: number | null
  ephemeralUntil: number | null
}

/** A saved key of this user. Until the transaction ends it can't be deleted. */
export async function lockSshKey(
  trx: Trx,
  { id, userId, now }: { id: string; userId: string; now: number },
): Promise<LockedKey | undefined> {
  const [row] = await ownKey(trx, { id, userId, now })
  return (
    row && {
      id: row.id,
      publicKey: row.public_key,
      fingerprint: row.fingerprint,
      lastUsedAt: row.last_used_at,
      ephemeralUntil: row.ephemeral_until,
    }
  )
}

const markUsed = writeStatement((db, value: Values<{ id: string; at: number }>) =>
  db
    .updateTable('ssh_keys')
    .set({ last_used_at: value('at') })
    .where('id', '=', value('id')),
)

export const markSshKeyUsed = (trx: Trx, id: string, at: number): void => markUsed.next(trx, { id, at })

/** Keeps an ephemeral key until a certificate for it expires: the first one sets the time, later ones may extend it. */
export async function keepEphemeralKey(
  trx: Trx,
  { id, lastUsedAt, ephemeralUntil }: LockedKey,
  until: number,
): Promise<void> {
  if (ephemeralUntil === null || (lastUsedAt !== null && ephemeralUntil >= until)) return
  await trx.updateTable('ssh_keys').set({ ephemeral_until: until }).where('id', '=', id).execute()
}

/** Deletes the keys of a user that were saved at this time or later, except these. Returns their ids. */
export async function deleteSshKeysOfUser(
  trx: Trx,
  userId: string,
  { since = 0, except = [] }: { since?: number; except?: string[] } = {},
): Promise<string[]> {
  const deleted = await trx
    .deleteFrom('ssh_keys')
    .where('user_id', '=', userId)
    .where('created_at', '>=', since)
    .where('id', 'not in', ['', ...except])
    .returning('id')
    .execute()
  return deleted.map(({ id }) => id)
}
