import { readIdTokenHint } from '../id-token-hint.ts'
import { problemOfChallenge } from '../pkce.ts'
import type { Provider } from '../provider.ts'
import { includesAll, parseScope } from '../scope.ts'
import { type AuthorizationRequest, RedirectedRefusal } from './authorization-request.ts'
import { readClaims, scopesOfClaims } from './claims-request.ts'

/** A request while it is being checked. */
export interface Draft extends Omit<AuthorizationRequest, 'codeChallenge'> {
  repeated: ReadonlySet<string>
  provider: Pick<Provider, 'config' | 'signingKeys'>
}

/** Every check of an authorization request, in order. Each refuses by a redirect to the application. */
export const CHECKS: readonly ((draft: Draft) => void | Promise<void>)[] = [
  checkNoneRepeated,
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

function checkNoneRepeated(draft: Draft): void {
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

export function checkClientMayUseCodes(draft: RefusalTarget): void {
  if (!draft.client.grantTypes.includes('authorization_code'))
    throw new RedirectedRefusal(draft, 'unauthorized_client', 'This application may not use authorization codes.')
}

function checkScope(draft: Draft): void {
  const scopes = parseScope(draft.parameters['scope'])
  if (scopes === undefined || scopes.length === 0)
    throw new RedirectedRefusal(draft, 'invalid_scope', 'The scope is missing or malformed.')
  checkClientMayRequest(draft, scopes)
  draft.scopes = scopes
  draft.consentScopes = scopes
}

export function checkClientMayRequest(draft: RefusalTarget, scopes: string[]): void {
  if (!includesAll(draft.client.scopes, scopes))
    throw new RedirectedRefusal(draft, 'invalid_scope', 'The scope goes beyond what this application may ask for.')
}

function checkChallenge(draft: Draft): void {
  const { code_challenge: challenge, code_challenge_method: method } = draft.parameters
  if (challenge === undefined)
    throw new RedirectedRefusal(draft, 'invalid_request', 'PKCE is required: the parameter code_challenge is missing.')
  const problem = problemOfChallenge(challenge, method)
  if (problem !== undefined) throw new RedirectedRefusal(draft, 'invalid_request', problem)
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
