import { withoutEscalation } from '../../identity/roles/escalation.ts'
import type { SignedInActor } from '../../identity/sessions/actor.ts'
import type { Services } from '../../platform/services.ts'
import { atApplication, atHosts } from '../access/escalation-checks.ts'
import { deleteCodesInSlices } from '../authorizations/code-store.ts'
import { deleteGrantsToClient, listUsersWithGrant } from '../authorizations/grant-store.ts'
import { refuseBuiltIn } from '../clients/built-in-client.ts'
import { deleteMarkedClient, listDeletedClientIds, lockClient, markClientDeleted } from '../clients/client-store.ts'
import { refuseUnknownClient } from '../clients/client.ts'
import { tellAllEnded } from '../logout/tell-applications.ts'
import { lockFirstPeople, tellOfClient } from '../logout/tell-of-client.ts'
import { endStream } from '../signals/manage-stream.ts'
import { deleteHosts } from '../sites/site-store.ts'
import { type ClientChanges, changeClient } from './change-client.ts'
import { rememberLostHosts } from './related-rows.ts'

/** The request waits no longer than this; the job removeDeletedClients removes the rest. */
const MAX_REMOVAL_MS = 500

/** Deletes the application. Its grants, codes and tokens are invalid at once, on every replica. */
export async function deleteClient(services: ClientChanges, clientId: string, actor: SignedInActor): Promise<void> {
  await changeClient(services, clientId, actor, async (trx, record, holdings) => {
    refuseBuiltIn(clientId)
    const people = await lockFirstPeople(trx, clientId)
    const client = (await lockClient(trx, clientId, 'exclusive')) ?? refuseUnknownClient()
    const checks = [atApplication(services, clientId), atHosts(services, client.hosts ?? [])]
    await withoutEscalation(trx, holdings, checks, async (checked) => {
      await markClientDeleted(checked, clientId, services.now())
      await rememberLostHosts(checked, client, { kept: [], now: services.now() })
      await deleteHosts(checked, clientId)
      await tellAllEnded(trx, { userIds: people, clientId }, services.now())
      await endStream(services, trx, clientId, 'The client was deleted.')
    })
    await record('oauth_client.deleted', { name: client.name })
  })
  const stop = AbortSignal.timeout(MAX_REMOVAL_MS)
  const remove = async () => {
    await tellOfClient(services, clientId, stop)
    await removeDeletedClient(services, clientId, stop)
  }
  await remove().catch((error: unknown) =>
    services.log.warn({ err: error }, 'A deleted application is not removed yet; it is tried again.'),
  )
}

const CODES_PER_SLICE = 500
const PAUSE_MS = 2
/** More than these wait for the next run. */
const CLIENTS_PER_RUN = 10
/** The codes and tokens of these grants are deleted before the grants themselves. */
const GRANTS_PER_ROUND = 100

/** Removes what is left of deleted clients, also when the process that deleted them has stopped since. */
export async function removeDeletedClients({ db }: Pick<Services, 'db'>, stop: AbortSignal): Promise<void> {
  for (const clientId of await listDeletedClientIds(db.read, CLIENTS_PER_RUN))
    if (!stop.aborted) await removeDeletedClient({ db }, clientId, stop)
}

/**
 * The client's row is deleted last: until then the next run finds it. Access tokens of a client without a row are not
 * accepted, and are deleted when they expire. Call it when the client was told of its people: their grants say whom it was told of.
 */
async function removeDeletedClient({ db }: Pick<Services, 'db'>, clientId: string, stop: AbortSignal): Promise<void> {
  for (;;) {
    if (stop.aborted) return
    const userIds = await listUsersWithGrant(db.read, clientId, GRANTS_PER_ROUND)
    if (userIds.length === 0) break
    await deleteCodesInSlices(db, { clientId, userIds, rows: CODES_PER_SLICE, pauseMs: PAUSE_MS, stop })
    if (stop.aborted) return
    await db.transaction((trx) => deleteGrantsToClient(trx, clientId, userIds))
  }
  await db.transaction((trx) => deleteMarkedClient(trx, clientId))
}
