import type { Services } from '../../platform/services.ts'
import { deleteCodesInSlices } from '../authorize/code-store.ts'
import { deleteGrantsToClient, listUsersWithGrant } from '../consents/grant-store.ts'
import { deleteMarkedClient, listDeletedClientIds } from './client-store.ts'

type Needs = Pick<Services, 'db'>

const CODES_PER_SLICE = 500
const PAUSE_MS = 2
/** More than these wait for the next run. */
const CLIENTS_PER_RUN = 10
/** The codes and tokens of these grants are deleted before the grants themselves. */
const GRANTS_PER_ROUND = 100

/** Removes what is left of deleted clients, also when the process that deleted them has stopped since. */
export async function removeDeletedClients({ db }: Needs, stop: AbortSignal): Promise<void> {
  for (const clientId of await listDeletedClientIds(db.read, CLIENTS_PER_RUN))
    if (!stop.aborted) await removeDeletedClient({ db }, clientId, stop)
}

/**
 * The client's row is deleted last: until then the next run finds it. Access tokens of a client without a row are not
 * accepted, and are deleted when they expire.
 */
export async function removeDeletedClient({ db }: Needs, clientId: string, stop: AbortSignal): Promise<void> {
  for (;;) {
    const userIds = await listUsersWithGrant(db.read, clientId, GRANTS_PER_ROUND)
    if (userIds.length === 0) break
    await deleteCodesInSlices(db, { clientId, userIds, rows: CODES_PER_SLICE, pauseMs: PAUSE_MS, stop })
    if (stop.aborted) return
    await db.transaction((trx) => deleteGrantsToClient(trx, clientId, userIds))
  }
  await db.transaction((trx) => deleteMarkedClient(trx, clientId))
}
