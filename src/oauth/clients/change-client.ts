import { type AuditEvent, recordEvent } from '../../audit/record-event.ts'
import { issueToken } from '../../crypto/token.ts'
import { refuse } from '../../errors.ts'
import type { SignedInActor } from '../../sessions/actor.ts'
import { changeAs } from '../../sessions/hold-actor.ts'
import type { Trx } from '../../storage/database.ts'
import type { Provider } from '../provider.ts'
import { checkSettings, type Settings, settingColumns, settingsOf } from './client-settings.ts'
import { holdClient, markClientDeleted, updateClientRow } from './client-store.ts'
import type { Client } from './client.ts'
import { removeDeletedClient } from './remove-deleted-clients.ts'

type Needs = Pick<Provider, 'db' | 'now' | 'random' | 'signals' | 'clients' | 'log'>

const unknownClient = () => refuse('not_found', 'There is no such application.')

/**
 * Changes what is given and leaves the rest as it is when the change is made: two people who change one client at once
 * wait for each other, and the rules that bind its settings to one another are checked on what both have written.
 */
export const updateClient = (
  services: Needs,
  clientId: string,
  change: Partial<Settings>,
  actor: SignedInActor,
): Promise<Client> =>
  changeClient(services, clientId, actor, async (trx, record) => {
    const { secretHash: _, ...client } = (await holdClient(trx, clientId, 'exclusive')) ?? unknownClient()
    const before = settingsOf(client)
    const after = { ...before, ...change }
    checkSettings(client.clientType, after)
    const changed = differences(settingColumns(before), settingColumns(after))
    if (Object.keys(changed).length === 0) return client
    const updated = await updateClientRow(trx, clientId, changed)
    await record('oauth_client.updated', { ...change })
    return updated
  })

const differences = <T extends object>(before: T, after: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(after).filter(([column, value]) => before[column as keyof T] !== value),
  ) as Partial<T>

/** Nobody waits longer for the removal of what is left; removeDeletedClients goes on with it. */
const MAX_REMOVAL_MS = 500

/** Deletes the application. Its grants, codes and tokens die with it, at once and everywhere. */
export async function deleteClient(services: Needs, clientId: string, actor: SignedInActor): Promise<void> {
  await changeClient(services, clientId, actor, async (trx, record) => {
    const name = (await markClientDeleted(trx, clientId, services.now())) ?? unknownClient()
    await record('oauth_client.deleted', { name })
  })
  await removeDeletedClient(services, clientId, AbortSignal.timeout(MAX_REMOVAL_MS)).catch((error: unknown) =>
    services.log.warn({ err: error }, 'A deleted application is not removed yet; it is tried again.'),
  )
}

/** Gives a confidential client a new secret. The old one is worthless from then on; tokens it got stay live. */
export async function rotateClientSecret(services: Needs, clientId: string, actor: SignedInActor) {
  const secret = issueToken(services.random, 'cs_')
  const client = await changeClient(services, clientId, actor, async (trx, record) => {
    const { clientType } = (await holdClient(trx, clientId, 'exclusive')) ?? unknownClient()
    if (clientType === 'public') refuse('conflict', 'A public client has no secret.')
    const updated = await updateClientRow(trx, clientId, { client_secret_hash: secret.hash })
    await record('oauth_client.secret_rotated')
    return updated
  })
  return { client, client_id: clientId, client_secret: secret.plaintext }
}

type RecordChange = (action: AuditEvent['action'], data?: AuditEvent['data']) => Promise<void>

/** A change of one client: by somebody who may, written down, and heard of by every replica. */
async function changeClient<T>(
  services: Needs,
  clientId: string,
  actor: SignedInActor,
  change: (trx: Trx, record: RecordChange) => Promise<T>,
): Promise<T> {
  try {
    return await changeAs(services, actor, (trx) =>
      change(trx, async (action, data) => {
        const target = { type: 'oauth_client', id: clientId }
        await recordEvent(services, trx, { action, outcome: 'success', actor, target, ...(data ? { data } : {}) })
        await services.signals.emit(trx, 'client-changed', { clientId })
      }),
    )
  } finally {
    // Also after a failure: when the answer of the database is lost, the change may have been made.
    services.clients.forget(clientId)
  }
}
