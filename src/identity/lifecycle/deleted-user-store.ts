import { sql } from 'kysely'
import type { Database, Reader, Trx } from '../../storage/database.ts'
import { deleteInSlices } from '../../storage/delete-in-slices.ts'
import type { Schema } from '../../storage/schema.ts'

/**
 * Frees the email, passkeys and SSH keys for others, and removes all personal data from the row. The row counts as disabled,
 * and planned actions are deleted, so that nothing enables it again.
 */
export async function markDeleted(trx: Trx, id: string, now: number): Promise<void> {
  const unique = `deleted:${id}`
  await trx
    .updateTable('users')
    .set({
      deleted_at: now,
      disabled_at: now,
      email: unique,
      preferred_username: unique,
      confirmed_email: null,
      password_hash: null,
      display_name: null,
      given_name: null,
      family_name: null,
      avatar_version: null,
    })
    .where('id', '=', id)
    .execute()
  const tables = [
    'user_roles',
    'passkeys',
    'passkey_challenges',
    'ssh_keys',
    'email_tokens',
    'lifecycle_actions',
  ] as const
  for (const table of tables) {
    await trx.deleteFrom(table).where('user_id', '=', id).execute()
  }
  trx.signal('access-changed', null)
}

/** Deleted accounts whose rows have not been removed yet. */
export async function listDeletedUserIds(db: Reader, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    // Written like the condition of the partial index, which serves it.
    .where(sql<boolean>`deleted_at is not null`)
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Tables in which one user can have any number of rows. The few rows of other tables go with the user's own row. */
const LARGE_TABLES: { table: keyof Schema; key: string; orderBy: string }[] = [
  { table: 'notifications', key: 'user_id, id', orderBy: 'id' },
  { table: 'oauth_authorization_codes', key: 'code_hash', orderBy: 'client_id' },
  { table: 'oauth_grants', key: 'user_id, client_id', orderBy: 'client_id' },
  { table: 'known_browsers', key: 'token_hash', orderBy: 'created_at' },
  { table: 'known_devices', key: 'user_id, device_hash', orderBy: 'device_hash' },
]
const SLICE = 500
const PAUSE_MS = 2

/** Deletes the user's rows in the large tables, a slice at a time. */
export async function deleteRowsOfUser(db: Database, id: string, stop: AbortSignal): Promise<void> {
  for (const each of LARGE_TABLES) {
    const where = sql<boolean>`user_id = ${id}`
    await deleteInSlices(db, { ...each, where, rows: SLICE, pauseMs: PAUSE_MS, stop })
  }
}

/** Deletes the row of an account that was marked as deleted. */
export async function deleteMarkedUser(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom('users').where('id', '=', id).where('deleted_at', 'is not', null).execute()
}
