import { skipEscalationCheck } from '../../identity/roles/checked-trx.ts'
import { withoutEscalation } from '../../identity/roles/escalation.ts'
import type { UserHoldings } from '../../identity/roles/holdings.ts'
import type { SignedInActor } from '../../identity/sessions/actor.ts'
import { administer } from '../../identity/sessions/administer.ts'
import { type AuditEvent, recordEvent } from '../../platform/audit/record-event.ts'
import { issueToken } from '../../platform/crypto/digest.ts'
import { prepareRsaKey } from '../../platform/keys/signing-keys.ts'
import type { Trx } from '../../storage/database.ts'
import { atApplication, atHosts } from '../access/escalation-checks.ts'
import { planAccessReview } from '../access/review-access.ts'
import { replaceAllowedRoles } from '../clients/allowed-role-store.ts'
import { refuseBuiltInChange, refuseReservedScope } from '../clients/built-in-client.ts'
import {
  type Settings,
  checkSettings,
  refuseForeignSettings,
  rsaUseOf,
  settingColumns,
  settingsOf,
} from '../clients/client-settings.ts'
import { lockClient, readClient, updateClientRow } from '../clients/client-store.ts'
import { type Client, type KnownClient, refuseUnknownClient } from '../clients/client.ts'
import { refuseSecretOfReceiver, refuseSignalScopes, refuseTellingMore } from '../clients/signal-scopes.ts'
import { deleteDeviceCodesOfClient } from '../device/device-code-store.ts'
import { tellAllEnded } from '../logout/tell-applications.ts'
import { lockFirstPeople } from '../logout/tell-of-client.ts'
import { isSignalScope } from '../protocol/scope.ts'
import type { Provider } from '../provider.ts'
import { endStream, tellClientTurned } from '../signals/manage-stream.ts'
import { deleteVisits } from '../sites/site-store.ts'
import { administrationErrors } from './administration-errors.ts'
import { checkLogoutUri, checkRoles, rememberLostHosts, replaceSite, withStoredHosts } from './related-rows.ts'

export type ClientChanges = Pick<
  Provider,
  | 'config'
  | 'db'
  | 'now'
  | 'random'
  | 'vault'
  | 'signals'
  | 'signingKeys'
  | 'clients'
  | 'published'
  | 'log'
  | 'outgoing'
>

/**
 * Changes only the given settings. The client is locked, so that of two changes at the same time the second one is checked
 * against the settings that the first one has written.
 */
export async function updateClient(
  services: ClientChanges,
  clientId: string,
  request: Partial<Settings> & { disabled?: boolean },
  actor: SignedInActor,
): Promise<Client> {
  const rsaKey = await prepareRsaKey(services, rsaUseOf(request))
  const updated = await changeClient(services, clientId, actor, async (trx, record, holdings) => {
    const people = request.disabled === true ? await lockFirstPeople(trx, clientId) : []
    const {
      secretHash: _,
      generation,
      ...client
    } = (await lockClient(trx, clientId, 'exclusive')) ?? refuseUnknownClient()
    refuseBuiltInChange(clientId, request)
    const { disabled = client.disabled, ...changes } = withStoredHosts(services.config, request)
    refuseReservedScope(changes.scopes)
    refuseSignalScopes(client.clientType, changes.scopes)
    refuseForeignSettings(client.clientType, changes)
    refuseTellingMore(holdings, client, changes)
    const before = settingsOf(client)
    const after = { ...before, ...changes }
    const turned = turnedColumns(services, { ...client, generation, ...changes }, disabled)
    const given = withoutSame(before, changes)
    checkSettings(services.config, client.clientType, after, given)
    checkLogoutUri(services, given)
    if (Object.keys(given).length === 0 && !turned) return client
    await checkRoles(trx, given)
    const compared = [...(client.hosts ?? []), ...(changes.hosts ?? [])]
    await withoutEscalation(
      trx,
      holdings,
      [atApplication(services, clientId), atHosts(services, compared)],
      async (checked) => {
        await rsaKey?.store(trx)
        const columns = Object.keys(given).length === 0 ? {} : settingColumns(client.clientType, after)
        await updateClientRow(checked, clientId, { ...columns, ...turned })
        if (turned?.telling === 1) await tellAllEnded(trx, { userIds: people, clientId }, services.now())
        if (turned) {
          await endOpenSignIns(trx, clientId)
          await tellClientTurned(services, trx, { id: clientId, disabled })
        }
        if (given.scopes && !given.scopes.some(isSignalScope))
          await endStream(services, trx, clientId, 'The client may not have a stream any more.')
        if (given.allowedRoles !== undefined) await replaceAllowedRoles(checked, clientId, given.allowedRoles ?? [])
        if (given.hosts) await rememberLostHosts(checked, client, { kept: given.hosts, now: services.now() })
        await replaceSite(checked, clientId, given)
      },
    )
    if (isNarrower(before.allowedRoles, after.allowedRoles)) await planAccessReview(services, trx, [clientId])
    await record('oauth_client.updated', { ...(turned ? { disabled } : {}), ...changes })
    return (await readClient(trx, clientId)) ?? refuseUnknownClient()
  })
  if (rsaKey) await services.signingKeys.reload()
  return updated
}

/** Turns a client off or on. Whatever it was issued is revoked when it is turned off, by the number of its generation. */
function turnedColumns(
  { now }: Pick<ClientChanges, 'now'>,
  client: Pick<KnownClient, 'disabled' | 'generation' | 'backchannelLogoutUri'>,
  disabled: boolean,
) {
  if (client.disabled === disabled) return undefined
  if (!disabled) return { disabled_at: null }
  const telling = client.backchannelLogoutUri === null ? 0 : 1
  return { disabled_at: now(), generation: client.generation + 1, telling }
}

/**
 * Ends what is under way: devices that wait, and sign-ins and visits at a site. Also when the client is turned on, because a
 * request that had begun before it was turned off may have added something since.
 */
async function endOpenSignIns(trx: Trx, clientId: string): Promise<void> {
  await deleteDeviceCodesOfClient(trx, clientId)
  await deleteVisits(trx, clientId)
}

/** What a request changes of what is there. */
const withoutSame = (before: Settings, changes: Partial<Settings>): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(changes).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Settings]),
    ),
  )

const isNarrower = (before: Settings['allowedRoles'], after: Settings['allowedRoles']): boolean =>
  after !== null && (before === null || before.some((roleId) => !after.includes(roleId)))

/** Gives a confidential client a new secret. The old one no longer works; issued tokens stay valid. */
export async function rotateClientSecret(services: ClientChanges, clientId: string, actor: SignedInActor) {
  const secret = issueToken(services.random, 'cs_')
  const client = await changeClient(services, clientId, actor, async (trx, record, holdings) => {
    const { clientType, scopes } = (await lockClient(trx, clientId, 'exclusive')) ?? refuseUnknownClient()
    if (clientType !== 'confidential') throw administrationErrors.secret_of_confidential_client_only()
    refuseSecretOfReceiver(holdings, { scopes })
    await updateClientRow(skipEscalationCheck(trx), clientId, { client_secret_hash: secret.hash })
    await record('oauth_client.secret_rotated')
    return (await readClient(trx, clientId)) ?? refuseUnknownClient()
  })
  return { client, client_id: clientId, client_secret: secret.plaintext }
}

type RecordChange = (action: AuditEvent['action'], data?: AuditEvent['data']) => Promise<void>

/** Runs a change of one client: checks the actor's permission, records the change, and signals it to every replica. */
export async function changeClient<T>(
  services: ClientChanges,
  clientId: string,
  actor: SignedInActor,
  change: (trx: Trx, record: RecordChange, holdings: UserHoldings) => Promise<T>,
): Promise<T> {
  try {
    return await administer(services, actor, (trx, holdings) => {
      const record: RecordChange = async (action, data) => {
        const target = { type: 'oauth_client', id: clientId }
        await recordEvent(services, trx, { action, outcome: 'success', actor, target, ...(data ? { data } : {}) })
        await services.signals.emit(trx, 'client-changed', { clientId })
      }
      return change(trx, record, holdings)
    })
  } finally {
    // Also after a failure: the change may have been committed although the database's answer was lost.
    services.clients.forget(clientId)
    services.published.changed()
  }
}
