import { sql } from 'kysely'
import type { Services } from '../../services.ts'
import { deleteInSlices } from '../../storage/delete-in-slices.ts'

type Needs = Pick<Services, 'db'>

const SLICE = 500
const REST_MS = 2
/** Clients at a time: which are left over wait for the next run. */
const BATCH = 10
/** Grants at a time: the codes and tokens that stand on them go first. */
const GRANTS = 100

/** Removes what is left of clients that were deleted, also when the process that deleted them has died since. */
export async function removeDeletedClients({ db }: Needs, stop: AbortSignal): Promise<void> {
  const deleted = await db.read
    .selectFrom('oauth_clients')
    .select('client_id')
    .where(sql<boolean>`deleted_at is not null`)
    .limit(BATCH)
    .execute()
  for (const { client_id } of deleted) if (!stop.aborted) await removeDeletedClient({ db }, client_id, stop)
}

/** The row goes last: until then the next run finds it. Access tokens without one are dead, and go when they expire. */
export async function removeDeletedClient({ db }: Needs, clientId: string, stop: AbortSignal): Promise<void> {
  for (;;) {
    const grants = await db.read
      .selectFrom('oauth_grants')
      .select('user_id')
      .where('client_id', '=', clientId)
      .limit(GRANTS)
      .execute()
    if (grants.length === 0) break
    const owners = grants.map(({ user_id }) => user_id)
    const where = sql<boolean>`client_id = ${clientId} and user_id in (${sql.join(owners)})`
    const codes = { table: 'oauth_authorization_codes', key: 'code_hash' } as const
    await deleteInSlices(db, { ...codes, where, rows: SLICE, restMs: REST_MS, stop })
    if (stop.aborted) return
    await db.transaction((trx) =>
      trx.deleteFrom('oauth_grants').where('client_id', '=', clientId).where('user_id', 'in', owners).execute(),
    )
  }
  await db.transaction((trx) =>
    trx.deleteFrom('oauth_clients').where('client_id', '=', clientId).where('deleted_at', 'is not', null).execute(),
  )
}
