import { isDeepStrictEqual } from 'node:util'
import { readHoldings } from '../../access/holdings-store.ts'
import { refuseAdmittingOneself } from '../../access/holdings.ts'
import { type AuditEvent, recordEvent } from '../../audit/record-event.ts'
import { issueToken } from '../../crypto/token.ts'
import { refuse } from '../../errors.ts'
import { prepareRsaKey } from '../../keys/rsa-key.ts'
import type { SignedInActor } from '../../sessions/actor.ts'
import { changeAs } from '../../sessions/hold-actor.ts'
import { rolesOfRules } from '../../sites/site-rule.ts'
import { deleteHosts } from '../../sites/site-store.ts'
import type { Trx } from '../../storage/database.ts'
import { replaceAllowedRoles } from '../access/allowed-role-store.ts'
import { checkRoles } from '../access/check-roles.ts'
import { planAccessReview } from '../access/plan-access-review.ts'
import type { Provider } from '../provider.ts'
import { refuseBuiltIn, refuseBuiltInChange, refuseReservedScope } from './built-in-client.ts'
import { checkSettings, refuseForeignSettings, type Settings, settingColumns, settingsOf } from './client-settings.ts'
import { holdClient, markClientDeleted, readClient, updateClientRow } from './client-store.ts'
import { type Client, refuseUnknownClient } from './client.ts'
import { removeDeletedClient } from './remove-deleted-clients.ts'
import { replaceSite, withStoredHosts } from './site-of-client.ts'

export type ClientChanges = Pick<
  Provider,
  'config' | 'db' | 'now' | 'random' | 'vault' | 'signals' | 'signingKeys' | 'clients' | 'published' | 'log'
>

/**
 * Changes only the given settings. The client is held, so that of two changes at the same time the second one is checked
 * against the settings that the first one has written.
 */
export async function updateClient(
  services: ClientChanges,
  clientId: string,
  request: Partial<Settings> & { disabled?: boolean },
  actor: SignedInActor,
): Promise<Client> {
  const rsaKey = await prepareRsaKey(services, request.id_token_signed_response_alg)
  const updated = await changeClient(services, clientId, actor, async (trx, record) => {
    const { secretHash: _, ...client } = (await holdClient(trx, clientId, 'exclusive')) ?? refuseUnknownClient()
    refuseBuiltInChange(clientId, request)
    const { disabled = client.disabled, ...changes } = withStoredHosts(services.config, request)
    refuseReservedScope(changes.scopes)
    refuseForeignSettings(client.clientType, changes)
    if (client.builtIn) return turnClient(services, trx, client, disabled, record)
    const before = settingsOf(client)
    const after = { ...before, ...changes }
    const given = withoutSame(before, changes)
    checkSettings(services.config, client.clientType, after, given)
    if (Object.keys(given).length === 0) return client
    await checkRoles(trx, given)
    await refuseOwnAdmission(trx, actor.id, before, given)
    await rsaKey?.store(trx)
    await updateClientRow(trx, clientId, settingColumns(client.clientType, after))
    if (given.allowedRoles !== undefined) await replaceAllowedRoles(trx, clientId, given.allowedRoles ?? [])
    await replaceSite(trx, clientId, given)
    if (isNarrower(before.allowedRoles, after.allowedRoles)) await planAccessReview(services, trx, [clientId])
    await record('oauth_client.updated', { ...changes })
    return (await readClient(trx, clientId)) ?? refuseUnknownClient()
  })
  if (rsaKey) await services.signingKeys.reload()
  return updated
}

/** By the roles of the whole client, or by a new rule of a site, which counts before them. */
async function refuseOwnAdmission(
  trx: Trx,
  actorId: string,
  before: Settings,
  { allowedRoles, rules }: Partial<Settings>,
): Promise<void> {
  if (allowedRoles === undefined && rules === undefined) return
  const held = await readHoldings(trx, actorId)
  if (allowedRoles !== undefined) refuseAdmittingOneself(held, before.allowedRoles, allowedRoles)
  const newRules = (rules ?? []).filter((rule) => !before.rules.some((old) => isDeepStrictEqual(old, rule)))
  const admitted = rolesOfRules(newRules).map(({ roleId }) => roleId)
  refuseAdmittingOneself(held, before.allowedRoles, admitted)
}

/** The tokens of a client that is turned off do not work, on every replica, until it is turned on again. */
async function turnClient(
  { now }: ClientChanges,
  trx: Trx,
  client: Client,
  disabled: boolean,
  record: RecordChange,
): Promise<Client> {
  if (client.disabled === disabled) return client
  await record('oauth_client.updated', { disabled })
  await updateClientRow(trx, client.client_id, { disabled_at: disabled ? now() : null })
  return { ...client, disabled }
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

/** The request waits no longer than this; the job removeDeletedClients removes the rest. */
const MAX_REMOVAL_MS = 500

/** Deletes the application. Its grants, codes and tokens are invalid at once, on every replica. */
export async function deleteClient(services: ClientChanges, clientId: string, actor: SignedInActor): Promise<void> {
  await changeClient(services, clientId, actor, async (trx, record) => {
    refuseBuiltIn(clientId)
    const name = (await markClientDeleted(trx, clientId, services.now())) ?? refuseUnknownClient()
    await deleteHosts(trx, clientId)
    await record('oauth_client.deleted', { name })
  })
  await removeDeletedClient(services, clientId, AbortSignal.timeout(MAX_REMOVAL_MS)).catch((error: unknown) =>
    services.log.warn({ err: error }, 'A deleted application is not removed yet; it is tried again.'),
  )
}

/** Gives a confidential client a new secret. The old one no longer works; issued tokens stay valid. */
export async function rotateClientSecret(services: ClientChanges, clientId: string, actor: SignedInActor) {
  const secret = issueToken(services.random, 'cs_')
  const client = await changeClient(services, clientId, actor, async (trx, record) => {
    const { clientType } = (await holdClient(trx, clientId, 'exclusive')) ?? refuseUnknownClient()
    if (clientType !== 'confidential') refuse('conflict', 'Only a confidential client has a secret.')
    await updateClientRow(trx, clientId, { client_secret_hash: secret.hash })
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
    // Also after a failure: the change may have been committed although the database's answer was lost.
    services.clients.forget(clientId)
    services.published.changed()
  }
}
