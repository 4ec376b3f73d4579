import type { FastifyRequest } from 'fastify'
import { recordAlone } from '../../platform/audit/record-event.ts'
import { digest, sameDigest } from '../../platform/crypto/digest.ts'
import { type Locate, type RequestSource, sourceOf } from '../../platform/http/request-source.ts'
import { addressKey } from '../../platform/limits/address-queue.ts'
import { LIMITS } from '../../platform/limits/limits.ts'
import type { Services } from '../../platform/services.ts'
import { ClientError, DiagnosedError, TURN_ON, unknownClient } from '../problems/diagnosed-error.ts'
import type { Problems } from '../problems/problems.ts'
import { type Parameters, decodeFormText } from '../protocol/parameters.ts'
import { protocolErrors } from '../protocol/protocol-errors.ts'
import type { ClientCache } from './client-cache.ts'
import { clientErrors } from './client-errors.ts'
import type { KnownClient } from './client.ts'
import type { GrantType } from './grant-types.ts'

/** A request of a client to an endpoint that authenticates it. */
export interface ClientRequest {
  url: string
  authorization: string | undefined
  form: Parameters
  /** A function, because most requests never need it and it may look up the location of the address. */
  source: () => RequestSource
}

export const readClientRequest = (locate: Locate, request: FastifyRequest): ClientRequest => ({
  url: request.url,
  authorization: request.headers.authorization,
  form: request.body as Parameters,
  source: () => sourceOf(locate, request),
})

/** A token request of an authenticated client. */
export interface GrantRequest {
  client: KnownClient
  form: Parameters
  source: () => RequestSource
}

export function requireGrantType({ grantTypes }: KnownClient, grantType: GrantType): void {
  if (!grantTypes.includes(grantType)) throw protocolErrors.grant_type_not_allowed({ grantType })
}

/** What authenticating a client needs. */
export type ClientAuthentication = Pick<Services, 'db' | 'now' | 'limits' | 'observeEvent'> & {
  clients: ClientCache
  problems: Problems
}

interface Credentials {
  clientId: string
  secret: string | undefined
  /** True when they came in the Authorization header. */
  basic: boolean
  /** Why they are refused whatever they are. */
  problem?: DiagnosedError
}

/** Runs a request as the client that it authenticates. What is refused from there on is noted for this client. */
export async function runAsClient<T>(
  provider: ClientAuthentication,
  request: ClientRequest,
  run: (client: KnownClient) => Promise<T>,
): Promise<T> {
  const client = await authenticateClient(provider, request)
  try {
    if (client.disabled) throw new DiagnosedError(clientErrors.application_turned_off(), { hint: TURN_ON })
    return await run(client)
  } catch (error) {
    provider.problems.note(pathOf(request.url), error, client.client_id)
    throw error
  }
}

/**
 * Authenticates a client by client_secret_basic, client_secret_post or none (RFC 6749 section 2.3). The answer is the
 * same for every kind of wrong credentials. Only failures are limited: the right secret is always accepted, so that an
 * attacker can't lock a client out. A secret has 256 random bits and can't be guessed.
 */
async function authenticateClient(provider: ClientAuthentication, request: ClientRequest): Promise<KnownClient> {
  refuseSecretInUrl(request.url)
  const credentials = readCredentials(request.authorization, request.form)
  const { clientId, secret, basic, problem } = credentials
  const client = provider.clients.findCached(clientId) ?? (await provider.clients.find(clientId))
  if (client && !problem && matches(client, secret)) return client
  if (client) provider.problems.note(pathOf(request.url), problem ?? diagnoseCredentials(client, credentials), clientId)
  else countUnknownClient(provider, request, credentials)
  if (problem) throw problem
  if (client) await countWrongSecret(provider, request.source(), client)
  throw authenticationFailed(basic)
}

const pathOf = (url: string): string => url.replace(/[?#].*$/s, '')

/** The method as it is shown to administrators. An empty secret is none. */
const methodOf = ({ secret, basic }: Credentials): string =>
  secret === undefined ? NO_SECRET : basic ? 'client_secret_basic' : 'client_secret_post'
const NO_SECRET = 'no secret'

/** Unknown client ids cost no write each: they are counted in memory, by remote address. */
function countUnknownClient(provider: ClientAuthentication, request: ClientRequest, credentials: Credentials): void {
  const { clientId, problem } = credentials
  const error = problem
    ? unknownClient(problem, { clientId, sent: problem.diagnosis.sent })
    : unknownClient(protocolErrors.credentials_wrong(), { clientId, sent: methodOf(credentials) })
  provider.problems.noteUnknownClient(pathOf(request.url), clientId, error)
  provider.limits.failHere(LIMITS.unknownClient, addressKey(request.source().ipAddress))
}

function diagnoseCredentials({ client_id: clientId, clientType }: KnownClient, credentials: Credentials): ClientError {
  const method = methodOf(credentials)
  const isPublic = clientType === 'public'
  return new ClientError(clientId, protocolErrors.credentials_wrong(), {
    hint: isPublic
      ? 'Take the secret out of the settings of the application: a public client has none.'
      : method === NO_SECRET
        ? 'Enter the secret in the settings of the application.'
        : 'Enter the current secret in the settings of the application, or make a new one here.',
    sent: isPublic ? `${method} with a secret` : method === NO_SECRET ? NO_SECRET : `${method} with a wrong secret`,
    expected: isPublic
      ? NO_SECRET
      : method === NO_SECRET
        ? 'client_secret_basic or client_secret_post'
        : 'the current secret',
  })
}

async function countWrongSecret(
  provider: ClientAuthentication,
  source: RequestSource,
  client: KnownClient,
): Promise<void> {
  const key = `${client.client_id}\0${addressKey(source.ipAddress)}`
  provider.limits.check(LIMITS.clientSecret, key)
  // Concurrent attempts are all counted before any of them is answered, so those beyond the limit are refused too.
  if (!(await provider.limits.fail(LIMITS.clientSecret, key))) provider.limits.check(LIMITS.clientSecret, key)
  await recordFailure(provider, source, client)
}

/** A public client has no secret and must not send one; RFC 6749 lets it send an empty password. */
const matches = ({ clientType, secretHash }: KnownClient, secret: string | undefined): boolean =>
  clientType === 'public'
    ? secret === undefined
    : secret !== undefined && secretHash !== null && sameDigest(digest(secret), secretHash)

/** A failure in the Authorization header is answered with a challenge (RFC 6749 section 5.2). */
const authenticationFailed = (basic: boolean) => protocolErrors.credentials_wrong(basic ? CHALLENGE : {})
const CHALLENGE = { challenge: 'Basic realm="Latchkey", charset="UTF-8"' }

function readCredentials(header: string | undefined, form: Parameters): Credentials {
  const { client_id: clientId, client_secret: secret } = form
  if (header === undefined) {
    if (clientId === undefined) throw protocolErrors.client_not_identified()
    return { clientId, secret, basic: false }
  }
  const basic = readBasic(header)
  if (!basic) throw authenticationFailed(true)
  if (secret !== undefined) return { ...basic, problem: TWO_METHODS }
  if (clientId !== undefined && clientId !== basic.clientId) return { ...basic, problem: TWO_CLIENTS }
  return basic
}

const TWO_METHODS = new DiagnosedError(protocolErrors.two_authentication_methods(), {
  hint: 'Let the application send its secret in the Authorization header or in the body, and not in both.',
  sent: 'client_secret_basic and client_secret_post',
  expected: 'client_secret_basic or client_secret_post',
})
const TWO_CLIENTS = new DiagnosedError(protocolErrors.client_id_differs(), {
  hint: 'Enter the same client_id everywhere in the settings of the application.',
})

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i

/** Both halves are form-encoded (RFC 6749 section 2.3.1), which changes nothing in our ids and secrets. */
function readBasic(header: string): Credentials | undefined {
  const [, encoded] = BASIC.exec(header) ?? []
  const text = Buffer.from(encoded ?? '', 'base64').toString()
  const colon = text.indexOf(':')
  if (colon < 1) return undefined
  const clientId = decodeFormText(text.slice(0, colon))
  const secret = decodeFormText(text.slice(colon + 1))
  if (clientId === undefined || secret === undefined || clientId.includes('\0')) return undefined
  return { clientId, secret: secret === '' ? undefined : secret, basic: true }
}

/** URLs end up in logs and histories (RFC 6749 section 2.3.1). */
function refuseSecretInUrl(url: string): void {
  if (url.includes('client_secret=')) throw protocolErrors.credentials_in_url()
}

async function recordFailure(
  provider: ClientAuthentication,
  source: RequestSource,
  client: KnownClient,
): Promise<void> {
  await recordAlone(provider, {
    action: 'oauth_client.authentication_failed',
    outcome: 'refused',
    actor: { id: null, email: null, source },
    target: { type: 'oauth_client', id: client.client_id },
  })
}
