import { recordEvent } from '../audit/record-event.ts'
import { issueToken } from '../crypto/token.ts'
import { refuse } from '../errors.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeAs } from '../sessions/hold-actor.ts'
import type { Client } from './client.ts'
import { checkSettings, type Settings, settingColumns } from './client-settings.ts'
import { findClient, markClientDeleted, updateClientRow } from './client-store.ts'
import type { Provider } from './provider.ts'
import { removeDeletedClient } from './remove-deleted-clients.ts'

type Needs = Pick<Provider, 'db' | 'now' | 'random' | 'signals' | 'clients' | 'log'>

const unknownClient = () => refuse('not_found', 'There is no such application.')

export async function updateClient(
  services: Needs,
  clientId: string,
  change: Partial<Settings>,
  actor: SignedInActor,
): Promise<Client> {
  const changed = await changeAs(services, actor, async (trx) => {
    const client = (await findClient(trx, clientId)) ?? unknownClient()
    const settings: Settings = {
      name: client.name,
      operator: client.operator,
      redirectUris: client.redirect_uris,
      postLogoutRedirectUris: client.post_logout_redirect_uris,
      scopes: client.scopes,
      grantTypes: client.grantTypes,
      ...change,
    }
    checkSettings(client.clientType, settings)
    const updated = (await updateClientRow(trx, clientId, settingColumns(settings))) ?? unknownClient()
    await recordEvent(services, trx, {
      action: 'oauth_client.updated',
      outcome: 'success',
      actor,
      target: { type: 'oauth_client', id: clientId },
      data: { ...change },
    })
    await services.signals.emit(trx, 'client-changed', { clientId })
    return updated
  })
  services.clients.forget(clientId)
  return changed
}

/** Nobody waits longer for the removal of what is left; removeDeletedClients goes on with it. */
const MAX_REMOVAL_MS = 500

/** Deletes the application. Its grants, codes and tokens die with it, at once and everywhere. */
export async function deleteClient(services: Needs, clientId: string, actor: SignedInActor): Promise<void> {
  await changeAs(services, actor, async (trx) => {
    const name = (await markClientDeleted(trx, clientId, services.now())) ?? unknownClient()
    await recordEvent(services, trx, {
      action: 'oauth_client.deleted',
      outcome: 'success',
      actor,
      target: { type: 'oauth_client', id: clientId },
      data: { name },
    })
    await services.signals.emit(trx, 'client-changed', { clientId })
  })
  services.clients.forget(clientId)
  await removeDeletedClient(services, clientId, AbortSignal.timeout(MAX_REMOVAL_MS)).catch((error: unknown) =>
    services.log.warn({ err: error }, 'A deleted application is not removed yet; it is tried again.'),
  )
}

/** Gives a confidential client a new secret. The old one is worthless from then on; tokens it got stay live. */
export async function rotateClientSecret(services: Needs, clientId: string, actor: SignedInActor) {
  const secret = issueToken(services.random, 'cs_')
  const client = await changeAs(services, actor, async (trx) => {
    const known = (await findClient(trx, clientId)) ?? unknownClient()
    if (known.clientType === 'public') refuse('conflict', 'A public client has no secret.')
    const updated = await updateClientRow(trx, clientId, { client_secret_hash: secret.hash })
    await recordEvent(services, trx, {
      action: 'oauth_client.secret_rotated',
      outcome: 'success',
      actor,
      target: { type: 'oauth_client', id: clientId },
    })
    await services.signals.emit(trx, 'client-changed', { clientId })
    return updated ?? unknownClient()
  })
  services.clients.forget(clientId)
  return { client, client_id: clientId, client_secret: secret.plaintext }
}
