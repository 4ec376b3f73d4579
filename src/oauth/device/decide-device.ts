import { AppError, refuse } from '../../errors.ts'
import { notify } from '../../identity/notifications/notify.ts'
import type { SignedInActor } from '../../identity/sessions/actor.ts'
import { listProofs } from '../../identity/sessions/fresh.ts'
import { changeOwnAccount } from '../../identity/sessions/lock-actor.ts'
import type { SignedIn } from '../../identity/sessions/session.ts'
import { refuseUnconfirmed } from '../../identity/users/email-address.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { RequestSource } from '../../platform/http/request-source.ts'
import { addressKey } from '../../platform/limits/address-queue.ts'
import { LIMITS } from '../../platform/limits/limits.ts'
import type { Trx } from '../../storage/database.ts'
import { acrOf } from '../../vocabulary/sign-in-methods.ts'
import { addCode } from '../authorizations/code-store.ts'
import { addToGrant, lockClientWithGrant } from '../authorizations/grant-store.ts'
import { NO_CLAIMS, packClaims } from '../claims/claims-request.ts'
import { clientErrors } from '../clients/client-errors.ts'
import type { KnownClient } from '../clients/client.ts'
import { fallsShort, isTooOld } from '../clients/demands.ts'
import { DEVICE_CODE } from '../clients/grant-types.ts'
import { includesAll } from '../protocol/scope.ts'
import type { Provider } from '../provider.ts'
import { findWaiting, markDecided } from './device-code-store.ts'
import { deviceErrors } from './device-errors.ts'
import { readUserCode, userCodeMac } from './user-code.ts'

type WaitingDevice = NonNullable<Awaited<ReturnType<typeof findWaiting>>>

/** The answer is the same for a code that is unknown, decided or expired, and for one whose client may not ask any more. */
const refuseUserCode = (): never => refuse(deviceErrors.no_such_waiting_device())

const isRefusedCode = (error: unknown): boolean => error instanceof AppError && error.code === 'not_found'

/** Limits wrong codes: they are short, and every pending one would let a stranger's device in. */
const attemptUserCode = <T>(
  { limits }: Pick<Provider, 'limits'>,
  { userId, source }: { userId: string; source: RequestSource },
  run: () => Promise<T>,
): Promise<T> =>
  limits.attempt(
    [
      [LIMITS.userCodeByPerson, userId],
      [LIMITS.userCodeByAddress, addressKey(source.ipAddress)],
    ],
    run,
    isRefusedCode,
  )

const macOf = ({ vault }: Pick<Provider, 'vault'>, typed: string): string =>
  userCodeMac(vault, readUserCode(typed) ?? refuseUserCode())

function checkClient(client: KnownClient | undefined, { scope }: WaitingDevice): KnownClient {
  const mayAsk =
    client !== undefined &&
    !client.disabled &&
    client.grantTypes.includes(DEVICE_CODE) &&
    includesAll(client.scopes, scope.split(' '))
  return mayAsk ? client : refuseUserCode()
}

/** The device that waits with this code, and its application. Reading it decides nothing. */
export const readDevice = (
  provider: Provider,
  { userCode, ...who }: { userCode: string; userId: string; source: RequestSource },
): Promise<{ device: WaitingDevice; client: KnownClient }> =>
  attemptUserCode(provider, who, async () => {
    const { db, clients, now } = provider
    const device = (await findWaiting(db.read, macOf(provider, userCode), now())) ?? refuseUserCode()
    return { device, client: checkClient(await clients.find(device.client_id), device) }
  })

interface DeviceDecision {
  userCode: string
  approve: boolean
  signedIn: SignedIn
  actor: SignedInActor
}

/** Records what the person decided about a device. The client is locked and checked again in the transaction. */
export const decideDevice = (
  provider: Provider,
  { userCode, approve, signedIn, actor }: DeviceDecision,
): Promise<void> =>
  attemptUserCode(provider, { userId: actor.id, source: actor.source }, () => {
    const mac = macOf(provider, userCode)
    return changeOwnAccount(provider, actor, async (trx) => {
      const at = provider.now()
      const device = (await findWaiting(trx, mac, at)) ?? refuseUserCode()
      const found = await lockClientWithGrant(trx, device.client_id, actor.id)
      const client = checkClient(found.client, device)
      if (approve && !found.mayUse) throw clientErrors.application_not_for_you()
      if (approve) await refuseLesserSignIn(provider, trx, client, signedIn)
      if (approve) await refuseUnconfirmed(trx, provider.config, actor.id)
      const decision = approve ? 'approved' : 'denied'
      if (!(await markDecided(trx, { hash: device.device_code_hash, decision, now: at }))) refuseUserCode()
      if (approve) await addAuthorization(provider, trx, { device, client, signedIn, actor, at })
      await recordEvent(provider, trx, {
        action: `oauth_device.${decision}`,
        outcome: 'success',
        actor,
        target: { type: 'oauth_client', id: client.client_id },
        data: { scopes: device.scope.split(' '), deviceName: device.device_name, deviceAddress: device.ip_address },
      })
    })
  })

async function refuseLesserSignIn(
  { now }: Pick<Provider, 'now'>,
  trx: Trx,
  client: KnownClient,
  signedIn: SignedIn,
): Promise<void> {
  const isWeak = fallsShort(client, { acr: acrOf(signedIn) })
  if (!isWeak && !isTooOld(client, signedIn.session.authTime, now())) return
  const methods = await listProofs(trx, signedIn.user.id)
  throw deviceErrors.device_needs_step_up({ acr: (isWeak && client.requiredAcr) || '1', methods })
}

/** What the code flow does by consent and code: the grant, and the authorization that tokens belong to. */
async function addAuthorization(
  provider: Provider,
  trx: Trx,
  {
    device,
    client,
    signedIn,
    actor,
    at,
  }: { device: WaitingDevice; client: KnownClient; signedIn: SignedIn; actor: SignedInActor; at: number },
): Promise<void> {
  const { client_id: clientId, name } = client
  const scopes = device.scope.split(' ')
  const added = await addToGrant(trx, { userId: actor.id, clientId, scopes, at })
  if (added.length > 0) {
    const target = { type: 'oauth_client', id: clientId }
    const data = { scopes: added }
    await recordEvent(provider, trx, { action: 'oauth_grant.added', outcome: 'success', actor, target, data })
  }
  addCode(trx, {
    code_hash: device.device_code_hash,
    user_id: actor.id,
    client_id: clientId,
    client_generation: client.generation,
    // Neither is used: a device code is exchanged without a redirect URL, and its challenge is in its own row.
    redirect_uri: '',
    code_challenge: '',
    scope: device.scope,
    nonce: null,
    claims: packClaims(NO_CLAIMS),
    auth_time: Math.floor(signedIn.session.authTime / 1000),
    acr: acrOf(signedIn),
    amr: signedIn.amr.join(' '),
    verified: signedIn.verified ? 1 : 0,
    // The person approves in a browser; the device has no part in that session.
    session_id: null,
    created_at: at,
    expires_at: device.expires_at,
  })
  const { device_name: deviceName, ip_address: ipAddress, country, city } = device
  const told = { client_id: clientId, name, scopes, deviceName, ipAddress, country, city }
  await notify(provider, trx, actor.id, 'oauth.device_approved', told)
}
