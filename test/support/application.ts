import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { Response } from 'light-my-request'
import { skipEscalationCheck } from '../../src/identity/roles/checked-trx.ts'
import { insertClient, type CreateClientRequest } from '../../src/oauth/administration/create-client.ts'
import { THE_SERVICE } from '../../src/platform/audit/record-event.ts'
import type { TestApp } from './app.ts'
import type { Person } from './people.ts'

/** A registered OAuth client. */
export interface Application {
  clientId: string
  secret: string | undefined
  redirectUri: string
}

/** What administrators see of an application for which nothing else was said. */
export const CLIENT_DEFAULTS = {
  operator: null,
  allowedRoles: null,
  idTokenClaims: 'minimal',
  id_token_signed_response_alg: 'ES256',
  claims: [],
  introspectionClaims: false,
  pkce: 'required',
  pkceLastMissingAt: null,
  pkceLastSentAt: null,
  consent: 'ask',
  backchannelLogoutUri: null,
  backchannelLogoutSessionRequired: false,
  sessionExpiry: false,
  refreshTokens: 'offline',
  signalSubjects: 'own',
  signalSubjectFormat: 'iss_sub',
  requiredAcr: null,
  maxAuthAge: null,
  accessTokenLifetime: null,
  refreshTokenLifetime: null,
  refreshMaxAge: null,
  launchUrl: null,
  logoUrl: null,
  disabled: false,
}

export const REDIRECT_URI = 'https://app.example/cb'
export const ALL_SCOPES = ['openid', 'profile', 'email', 'offline_access']

export async function registerApplication(
  { services }: TestApp,
  change: Partial<CreateClientRequest> = {},
): Promise<Application> {
  const request: CreateClientRequest = {
    name: 'Example',
    clientType: 'confidential',
    redirectUris: [REDIRECT_URI],
    scopes: ALL_SCOPES,
    ...change,
  }
  const { client, client_secret } = await services.db.transaction((trx) =>
    insertClient(services, skipEscalationCheck(trx), request, THE_SERVICE),
  )
  return { clientId: client.client_id, secret: client_secret, redirectUri: client.redirect_uris[0] ?? '' }
}

export interface Pkce {
  verifier: string
  challenge: string
}

export function newPkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export type Fields = Record<string, string | undefined>

/** Omits undefined values, so that a test can remove a parameter. */
export function encode(fields: Fields): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, value)
  return query.toString()
}

export const authorizationQuery = (application: Application, { challenge }: Pkce, change: Fields = {}): string =>
  encode({
    response_type: 'code',
    client_id: application.clientId,
    redirect_uri: application.redirectUri,
    scope: 'openid',
    state: 'some-state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...change,
  })

export const authorizeUrl = (application: Application, pkce: Pkce, change?: Fields): string =>
  `/oauth/authorize?${authorizationQuery(application, pkce, change)}`

/** The URL that a response redirects the browser to. */
export function locationOf(response: Response): URL {
  const { location } = response.headers
  assert.equal(typeof location, 'string', `${response.statusCode} ${response.body}`)
  return new URL(location as string)
}

/** Approves on the consent page that the browser was redirected to, and returns the next URL. */
export async function consent(person: Person, page: URL, approve = true): Promise<URL> {
  assert.equal(page.pathname, '/consent', page.href)
  const answer = await person.post('/oauth/approve', { ...Object.fromEntries(page.searchParams), approve })
  assert.equal(answer.statusCode, 200, answer.body)
  return new URL(answer.json<{ redirectTo: string }>().redirectTo)
}

/** Goes from the authorization request to the redirect URI of the application, and consents if the service requires it. */
export async function authorize(
  person: Person,
  application: Application,
  pkce: Pkce,
  change: Fields = {},
): Promise<URL> {
  const next = locationOf(await person.get(authorizeUrl(application, pkce, change)))
  return next.pathname === '/consent' ? consent(person, next) : next
}

export async function getCode(person: Person, application: Application, pkce: Pkce, change?: Fields): Promise<string> {
  const url = await authorize(person, application, pkce, change)
  const code = url.searchParams.get('code')
  assert.ok(code, url.href)
  return code
}

export const basic = ({ clientId, secret = '' }: Pick<Application, 'clientId' | 'secret'>): string =>
  `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`

export function postForm(
  { app }: Pick<TestApp, 'app'>,
  url: string,
  fields: Fields | string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: typeof fields === 'string' ? fields : encode(fields),
  })
}

/** The client credentials as form parameters (client_secret_post). */
export const credentials = ({ clientId, secret }: Application): Fields => ({
  client_id: clientId,
  client_secret: secret,
})

export const exchangeCode = (
  test: Pick<TestApp, 'app'>,
  application: Application,
  code: string,
  { verifier }: Pkce,
  change: Fields = {},
): Promise<Response> =>
  postForm(test, '/oauth/token', {
    grant_type: 'authorization_code',
    ...credentials(application),
    code,
    redirect_uri: application.redirectUri,
    code_verifier: verifier,
    ...change,
  })

export interface Tokens {
  access_token: string
  token_type: string
  expires_in: number
  refresh_token: string
  id_token: string
  scope: string
}

/** The complete code flow, from the authorization request to the tokens. */
export async function getTokens(
  test: Pick<TestApp, 'app'>,
  person: Person,
  application: Application,
  change: Fields = {},
): Promise<Tokens> {
  const pkce = newPkce()
  const code = await getCode(person, application, pkce, { scope: 'openid offline_access', ...change })
  const answer = await exchangeCode(test, application, code, pkce)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json<Tokens>()
}

export const refresh = (
  test: Pick<TestApp, 'app'>,
  application: Application,
  refreshToken: string,
  change: Fields = {},
): Promise<Response> =>
  postForm(test, '/oauth/token', {
    grant_type: 'refresh_token',
    ...credentials(application),
    refresh_token: refreshToken,
    ...change,
  })

export const userinfo = ({ app }: Pick<TestApp, 'app'>, accessToken: string): Promise<Response> =>
  app.inject({ method: 'GET', url: '/oauth/userinfo', headers: { authorization: `Bearer ${accessToken}` } })

export const introspect = (test: Pick<TestApp, 'app'>, application: Application, token: string): Promise<Response> =>
  postForm(test, '/oauth/introspect', { ...credentials(application), token })

export const isLive = async (test: Pick<TestApp, 'app'>, application: Application, token: string): Promise<boolean> =>
  (await introspect(test, application, token)).json<{ active: boolean }>().active

/** The claims of a compact JWS, unverified. */
export const claimsOf = (jws: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
