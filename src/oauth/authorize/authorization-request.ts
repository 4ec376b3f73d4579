import { AppError, refuse } from '../../errors.ts'
import { asDescription } from '../../http/errors.ts'
import type { KnownClient } from '../clients/client.ts'
import { isRegisteredUri, withQuery } from '../clients/redirect-uri.ts'
import { AUTHORIZATION_PARAMETERS, pickKnown } from '../contracts.ts'
import { readIdTokenHint } from '../id-token-hint.ts'
import type { Parameters, ReadParameters } from '../parameters.ts'
import type { Provider } from '../provider.ts'
import { includesAll, parseScope } from '../scope.ts'
import { type ClaimsRequest, NO_CLAIMS, readClaims, scopesOfClaims } from './claims-request.ts'

/** An authorization request that has passed every check. */
export interface AuthorizationRequest {
  issuer: string
  client: KnownClient
  redirectUri: string
  state: string | undefined
  scopes: string[]
  codeChallenge: string
  nonce: string | undefined
  prompts: ReadonlySet<string>
  /** The maximum number of seconds since the user signed in. */
  maxAge: number | undefined
  /** The id of the user whom the application expects (OpenID Connect Core 3.1.2.1). */
  hintedUser: string | undefined
  claims: ClaimsRequest
  /** What the user must have granted: the scopes, and the scopes of claims that are requested by name. */
  consentScopes: string[]
  parameters: Parameters
}

/** A refusal that is reported to the application by a redirect (RFC 6749 section 4.1.2.1). */
export class RedirectedRefusal extends AppError {
  readonly redirectTo: string

  constructor(
    { issuer, redirectUri, state }: Pick<AuthorizationRequest, 'issuer' | 'redirectUri' | 'state'>,
    error: AuthorizationError,
    description: string,
  ) {
    super('invalid_request', description)
    const query = { error, error_description: asDescription(description), state, iss: issuer }
    this.redirectTo = withQuery(redirectUri, query)
  }
}

type AuthorizationError =
  | 'invalid_request'
  | 'unauthorized_client'
  | 'access_denied'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'login_required'
  | 'consent_required'
  | 'unmet_authentication_requirements'
  | 'request_not_supported'
  | 'request_uri_not_supported'

/** A request while it is being checked. */
interface Draft extends Omit<AuthorizationRequest, 'codeChallenge'> {
  repeated: ReadonlySet<string>
  provider: Pick<Provider, 'config' | 'signingKeys'>
}

/** Every check of an authorization request, in order. Each refuses by a redirect to the application. */
const CHECKS: readonly ((draft: Draft) => void | Promise<void>)[] = [
  checkEachOnce,
  checkNoRequestObject,
  checkResponseType,
  checkResponseMode,
  checkClientMayUseCodes,
  checkScope,
  checkChallenge,
  checkNonce,
  checkPrompt,
  checkMaxAge,
  checkClaims,
  checkIdTokenHint,
]

export async function readAuthorizationRequest(
  provider: Pick<Provider, 'clients' | 'config' | 'signingKeys'>,
  { values, repeated }: Omit<ReadParameters, 'encoded'>,
): Promise<AuthorizationRequest> {
  // Errors of client and redirect URL are shown here: redirecting would send the browser to an unchecked URL.
  const { client, redirectUri } = await findDestination(provider, values, repeated)
  const draft: Draft = {
    issuer: provider.config.baseUrl,
    client,
    redirectUri,
    state: repeated.has('state') ? undefined : values['state'],
    scopes: [],
    nonce: values['nonce'],
    prompts: new Set(),
    maxAge: undefined,
    hintedUser: undefined,
    claims: NO_CLAIMS,
    consentScopes: [],
    parameters: values,
    repeated,
    provider,
  }
  for (const check of CHECKS) await check(draft)
  const parameters = pickKnown(AUTHORIZATION_PARAMETERS, values)
  return { ...draft, parameters, codeChallenge: values['code_challenge'] ?? '' }
}

/**
 * Repeats the checks against the client's record in the transaction that answers the request: a redirect URL that was
 * removed meanwhile gets no code, and a scope that was removed is not granted.
 */
export function recheckClient(request: AuthorizationRequest, client: KnownClient | undefined): void {
  const present = { ...request, client: checkDestination(client, request.redirectUri) }
  checkClientMayUseCodes(present)
  checkClientMayAsk(present, request.consentScopes)
}

async function findDestination(
  { clients }: Pick<Provider, 'clients'>,
  { client_id: clientId, redirect_uri: redirectUri }: Parameters,
  repeated: ReadonlySet<string>,
): Promise<{ client: KnownClient; redirectUri: string }> {
  if (repeated.has('client_id')) refuse('invalid_request', 'The parameter client_id is given twice.')
  if (repeated.has('redirect_uri')) refuse('invalid_request', 'The parameter redirect_uri is given twice.')
  if (clientId === undefined) refuse('invalid_request', 'The parameter client_id is missing.')
  const client = await clients.find(clientId)
  if (client && redirectUri === undefined) return refuse('invalid_request', 'The parameter redirect_uri is missing.')
  return { client: checkDestination(client, redirectUri ?? ''), redirectUri: redirectUri ?? '' }
}

function checkDestination(client: KnownClient | undefined, redirectUri: string): KnownClient {
  if (!client) return refuse('invalid_request', 'No application is registered under this client_id.')
  if (!isRegisteredUri(client.redirect_uris, redirectUri))
    return refuse('invalid_request', 'The redirect_uri is not one that this application has registered.')
  return client
}

function checkEachOnce(draft: Draft): void {
  for (const name of draft.repeated)
    throw new RedirectedRefusal(draft, 'invalid_request', `The parameter ${name.slice(0, 50)} is given twice.`)
}

/** Request objects (OpenID Connect Core 6) are neither read nor fetched. */
function checkNoRequestObject(draft: Draft): void {
  if (draft.parameters['request'] !== undefined)
    throw new RedirectedRefusal(draft, 'request_not_supported', 'Request objects are not supported.')
  if (draft.parameters['request_uri'] !== undefined)
    throw new RedirectedRefusal(draft, 'request_uri_not_supported', 'Request objects are not supported.')
}

function checkResponseType(draft: Draft): void {
  const type = draft.parameters['response_type']
  if (type === undefined)
    throw new RedirectedRefusal(draft, 'invalid_request', 'The parameter response_type is missing.')
  if (type !== 'code')
    throw new RedirectedRefusal(draft, 'unsupported_response_type', 'The only response_type here is code.')
}

function checkResponseMode(draft: Draft): void {
  if ((draft.parameters['response_mode'] ?? 'query') !== 'query')
    throw new RedirectedRefusal(draft, 'invalid_request', 'The only response_mode here is query.')
}

type RefusalTarget = Pick<AuthorizationRequest, 'issuer' | 'redirectUri' | 'state' | 'client'>

function checkClientMayUseCodes(draft: RefusalTarget): void {
  if (!draft.client.grantTypes.includes('authorization_code'))
    throw new RedirectedRefusal(draft, 'unauthorized_client', 'This application may not use authorization codes.')
}

function checkScope(draft: Draft): void {
  const scopes = parseScope(draft.parameters['scope'])
  if (scopes === undefined || scopes.length === 0)
    throw new RedirectedRefusal(draft, 'invalid_scope', 'The scope is missing or malformed.')
  checkClientMayAsk(draft, scopes)
  draft.scopes = scopes
  draft.consentScopes = scopes
}

function checkClientMayAsk(draft: RefusalTarget, scopes: string[]): void {
  if (!includesAll(draft.client.scopes, scopes))
    throw new RedirectedRefusal(draft, 'invalid_scope', 'The scope goes beyond what this application may ask for.')
}

/** RFC 7636 section 4.3. A SHA-256 in base64url has 43 characters. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

function checkChallenge(draft: Draft): void {
  const { code_challenge: challenge, code_challenge_method: method } = draft.parameters
  if (challenge === undefined)
    throw new RedirectedRefusal(draft, 'invalid_request', 'PKCE is required: the parameter code_challenge is missing.')
  if (method !== 'S256')
    throw new RedirectedRefusal(draft, 'invalid_request', 'The code_challenge_method must be S256.')
  if (!CHALLENGE.test(challenge))
    throw new RedirectedRefusal(draft, 'invalid_request', 'The code_challenge is not a SHA-256 in base64url.')
}

/** It is stored and signed, so its length is limited. */
const MAX_NONCE_LENGTH = 1024

function checkNonce(draft: Draft): void {
  if ((draft.nonce?.length ?? 0) > MAX_NONCE_LENGTH)
    throw new RedirectedRefusal(draft, 'invalid_request', `The nonce is longer than ${MAX_NONCE_LENGTH} characters.`)
}

const PROMPTS = new Set(['none', 'login', 'consent', 'select_account'])

function checkPrompt(draft: Draft): void {
  const prompts = new Set((draft.parameters['prompt'] ?? '').split(' ').filter((each) => each !== ''))
  if (!prompts.isSubsetOf(PROMPTS))
    throw new RedirectedRefusal(draft, 'invalid_request', 'The prompt may be none, login, consent, select_account.')
  if (prompts.has('none') && prompts.size > 1)
    throw new RedirectedRefusal(draft, 'invalid_request', 'The prompt none stands alone.')
  draft.prompts = prompts
}

function checkMaxAge(draft: Draft): void {
  const text = draft.parameters['max_age']
  if (text === undefined) return
  if (!/^\d{1,10}$/.test(text))
    throw new RedirectedRefusal(draft, 'invalid_request', 'The max_age must be a number of seconds.')
  draft.maxAge = Number(text)
}

function checkClaims(draft: Draft): void {
  const text = draft.parameters['claims']
  if (text === undefined) return
  const claims = readClaims(text, draft.client.scopes)
  if (!claims) throw new RedirectedRefusal(draft, 'invalid_request', 'The claims must be a JSON object.')
  draft.claims = claims
  draft.consentScopes = [...new Set([...draft.scopes, ...scopesOfClaims(claims)])]
  draft.hintedUser = claims.subject
}

async function checkIdTokenHint(draft: Draft): Promise<void> {
  const hint = draft.parameters['id_token_hint']
  if (hint === undefined) return
  const token = await readIdTokenHint(draft.provider, hint)
  if (!token)
    throw new RedirectedRefusal(draft, 'invalid_request', 'The id_token_hint is not a token that was issued here.')
  if (draft.hintedUser !== undefined && draft.hintedUser !== token.sub)
    throw new RedirectedRefusal(draft, 'invalid_request', 'The claims and the id_token_hint are about two users.')
  draft.hintedUser = token.sub
}
