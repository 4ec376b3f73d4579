import { atField } from '../../errors.ts'
import type { CheckedTrx } from '../../identity/roles/checked-trx.ts'
import { withoutEscalation } from '../../identity/roles/escalation.ts'
import type { SignedInActor } from '../../identity/sessions/actor.ts'
import { administer } from '../../identity/sessions/administer.ts'
import { requireFresh } from '../../identity/sessions/fresh.ts'
import { type Actor, recordEvent } from '../../platform/audit/record-event.ts'
import { issueToken } from '../../platform/crypto/digest.ts'
import { newId } from '../../platform/ids.ts'
import { prepareRsaKey } from '../../platform/keys/signing-keys.ts'
import type { Services } from '../../platform/services.ts'
import { atHosts } from '../access/escalation-checks.ts'
import { replaceAllowedRoles } from '../clients/allowed-role-store.ts'
import { refuseReservedScope } from '../clients/built-in-client.ts'
import { clientErrors } from '../clients/client-errors.ts'
import {
  type Settings,
  checkSettings,
  defaultSettings,
  refuseForeignSettings,
  rsaUseOf,
  settingColumns,
} from '../clients/client-settings.ts'
import { addClient, readClient } from '../clients/client-store.ts'
import { type Client, type ClientType, refuseUnknownClient } from '../clients/client.ts'
import { refuseSignalScopes, refuseTellingMore } from '../clients/signal-scopes.ts'
import type { Provider } from '../provider.ts'
import { checkLogoutUri, checkRoles, replaceSite, withStoredHosts } from './related-rows.ts'

export type CreateClientRequest = Pick<Settings, 'name'> & Partial<Settings> & { clientType: ClientType }

export interface CreatedClient {
  client: Client
  client_id: string
  /** Shown only once; only its digest is stored. */
  client_secret?: string
}

export async function createClient(
  services: Provider,
  request: CreateClientRequest,
  actor: SignedInActor,
): Promise<CreatedClient> {
  if (request.clientType !== 'proxied' && !request.scopes) throw atField('scopes', clientErrors.scopes_needed())
  const rsaKey = await prepareRsaKey(services, rsaUseOf(request))
  const { hosts = [] } = withStoredHosts(services.config, request)
  const created = await administer(services, actor, (trx, holdings) =>
    withoutEscalation(trx, holdings, [atHosts(services, hosts)], async (checked) => {
      refuseTellingMore(holdings, {}, request)
      if (request.clientType === 'confidential') await requireFresh(services, checked, actor)
      await rsaKey?.store(checked)
      return insertClient(services, checked, request, actor)
    }),
  )
  services.published.changed()
  if (rsaKey) await services.signingKeys.reload()
  return created
}

/** Creates a client in a transaction of the caller. */
export async function insertClient(
  services: Pick<Services, 'now' | 'random' | 'config' | 'outgoing'>,
  trx: CheckedTrx,
  request: CreateClientRequest,
  actor: Actor,
): Promise<CreatedClient> {
  const { clientType: type, ...given } = withStoredHosts(services.config, request)
  refuseSignalScopes(type, given.scopes)
  refuseForeignSettings(type, given)
  const settings: Settings = { ...defaultSettings(type), ...given }
  checkSettings(services.config, type, settings, given)
  checkLogoutUri(services, given)
  refuseReservedScope(settings.scopes)
  await checkRoles(trx, settings)
  const secret = type === 'confidential' ? issueToken(services.random, 'cs_') : undefined
  const clientId = newId()
  await addClient(trx, {
    client_id: clientId,
    client_secret_hash: secret?.hash ?? null,
    client_type: type,
    created_at: services.now(),
    ...settingColumns(type, settings),
  })
  await replaceAllowedRoles(trx, clientId, settings.allowedRoles ?? [])
  await replaceSite(trx, clientId, settings)
  await recordEvent(services, trx, {
    action: 'oauth_client.created',
    outcome: 'success',
    actor,
    target: { type: 'oauth_client', id: clientId },
    data:
      type === 'proxied'
        ? { clientType: type, ...given }
        : { ...request, operator: settings.operator, redirectUris: settings.redirectUris, scopes: settings.scopes },
  })
  const client = (await readClient(trx, clientId)) ?? refuseUnknownClient()
  return { client, client_id: clientId, ...(secret ? { client_secret: secret.plaintext } : {}) }
}
