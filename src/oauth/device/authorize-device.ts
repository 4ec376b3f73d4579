import { refuse } from '../../errors.ts'
import { issueToken } from '../../platform/crypto/digest.ts'
import { addressKey } from '../../platform/limits/address-queue.ts'
import { LIMITS } from '../../platform/limits/limits.ts'
import { type ClientRequest, requireGrantType, runAsClient } from '../clients/authenticate-client.ts'
import type { KnownClient } from '../clients/client.ts'
import { DEVICE_CODE } from '../clients/grant-types.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { problemOfChallenge } from '../protocol/pkce.ts'
import { protocolErrors } from '../protocol/protocol-errors.ts'
import { grantableScopes, includesAll, parseScope, scopeError } from '../protocol/scope.ts'
import type { Provider } from '../provider.ts'
import { type NewDeviceCode, addDeviceCode } from './device-code-store.ts'
import { deviceRequestErrors } from './device-errors.ts'
import { formatUserCode, newUserCode, userCodeMac } from './user-code.ts'

const INTERVAL_MS = 5000
const LIFETIME_MS = 10 * 60_000
/** Two devices get the same user code once in billions of requests. */
const MAX_TRIES = 5

/** RFC 8628 section 3.2. */
export interface DeviceAuthorization {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
  expires_in: number
  interval: number
}

/** RFC 8628 section 3.1. The parameters of PKCE are not part of it, but a device may send them. */
export const authorizeDevice = (provider: Provider, request: ClientRequest): Promise<DeviceAuthorization> =>
  runAsClient(provider, request, (client) => addRequest(provider, client, request))

async function addRequest(
  provider: Provider,
  client: KnownClient,
  request: ClientRequest,
): Promise<DeviceAuthorization> {
  const { form } = request
  const source = request.source()
  await limitRequests(provider, addressKey(source.ipAddress))
  requireGrantType(client, DEVICE_CODE)
  const scopes = parseScope(form['scope'])
  const asked = { requested: form['scope'], allowed: grantableScopes(client.scopes) }
  if (scopes === undefined || scopes.length === 0) throw scopeError(protocolErrors.scope_malformed(), asked)
  if (!includesAll(asked.allowed, scopes)) throw scopeError(protocolErrors.scope_not_allowed(), asked)

  const { country, city, region } = source.geolocation
  const { deviceCode, userCode } = await addCode(provider, {
    client_id: client.client_id,
    scope: scopes.join(' '),
    code_challenge: readChallenge(form),
    device_name: form['device_name'] ?? null,
    ip_address: source.ipAddress,
    country,
    city,
    region,
    user_agent: source.userAgent,
  })
  const uri = `${provider.config.dashboardOrigin}/device`
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: uri,
    verification_uri_complete: `${uri}?user_code=${userCode}`,
    expires_in: LIFETIME_MS / 1000,
    interval: INTERVAL_MS / 1000,
  }
}

/** Each request is a row, so requests are limited and not only failures. */
async function limitRequests({ limits }: Pick<Provider, 'limits'>, address: string): Promise<void> {
  limits.check(LIMITS.deviceAuthorization, address)
  if (await limits.fail(LIMITS.deviceAuthorization, address)) return
  throw deviceRequestErrors.too_many_devices_of_network({
    retryAfter: LIMITS.deviceAuthorization.windowMs / 1000,
  })
}

type Asked = Omit<NewDeviceCode, 'device_code_hash' | 'user_code_mac' | 'interval_ms' | 'created_at' | 'expires_at'>

async function addCode(
  { db, now, random, vault }: Pick<Provider, 'db' | 'now' | 'random' | 'vault'>,
  asked: Asked,
): Promise<{ deviceCode: string; userCode: string }> {
  const at = now()
  const device = issueToken(random, 'dc_')
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const userCode = newUserCode(random)
    const added = await addDeviceCode(db, {
      ...asked,
      device_code_hash: device.hash,
      user_code_mac: userCodeMac(vault, userCode),
      interval_ms: INTERVAL_MS,
      created_at: at,
      expires_at: at + LIFETIME_MS,
    })
    if (added) return { deviceCode: device.plaintext, userCode: formatUserCode(userCode) }
  }
  throw deviceRequestErrors.too_many_devices({ retryAfter: 5 })
}

function readChallenge({ code_challenge: challenge, code_challenge_method: method }: Parameters): string | null {
  if (challenge === undefined && method === undefined) return null
  if (challenge === undefined) throw protocolErrors.parameter_missing({ name: 'code_challenge' })
  const problem = problemOfChallenge(challenge, method)
  return problem ? refuse(problem) : challenge
}
