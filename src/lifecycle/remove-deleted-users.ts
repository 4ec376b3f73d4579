import { sql } from 'kysely'
import type { Services } from '../services.ts'
import { deleteInSlices } from '../storage/delete-in-slices.ts'
import type { Schema } from '../storage/schema.ts'

type Needs = Pick<Services, 'db' | 'blobs' | 'log'>

/** Of these somebody can have any number. Whatever else hangs on an account is little, and goes with its row. */
const MANY: { table: keyof Schema; key: string; orderBy: string }[] = [
  { table: 'notifications', key: 'user_id, id', orderBy: 'id' },
  { table: 'oauth_authorization_codes', key: 'code_hash', orderBy: 'client_id' },
  { table: 'oauth_grants', key: 'user_id, client_id', orderBy: 'client_id' },
  { table: 'known_browsers', key: 'token_hash', orderBy: 'created_at' },
  { table: 'known_devices', key: 'user_id, device_hash', orderBy: 'device_hash' },
]
const SLICE = 500
const REST_MS = 2

/** Users at a time: who is left over waits for the next run. */
const BATCH = 10

/** Removes what is left of accounts that were deleted, also when the process that deleted them has died since. */
export async function removeDeletedUsers(services: Needs, stop: AbortSignal): Promise<void> {
  const deleted = await services.db.read
    .selectFrom('users')
    .select('id')
    .where(sql<boolean>`deleted_at is not null`)
    .limit(BATCH)
    .execute()
  for (const { id } of deleted) if (!stop.aborted) await removeDeletedUser(services, id, stop)
}

/** The row goes last: until then the next run finds it. */
export async function removeDeletedUser({ db, blobs, log }: Needs, id: string, stop: AbortSignal): Promise<void> {
  // Nobody points there any more: pictures that can't be deleted now are collected by sweepAvatars.
  await blobs
    .deleteFolder(id)
    .catch((error: unknown) => log.warn({ err: error }, 'The pictures of a deleted user are left over.'))
  for (const each of MANY) {
    const where = sql<boolean>`user_id = ${id}`
    await deleteInSlices(db, { ...each, where, rows: SLICE, restMs: REST_MS, stop })
  }
  if (!stop.aborted)
    await db.transaction((trx) =>
      trx.deleteFrom('users').where('id', '=', id).where('deleted_at', 'is not', null).execute(),
    )
}
