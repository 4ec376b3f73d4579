import type { Config } from '../../platform/config/config.ts'
import { readClaims, scopesOfClaims } from '../claims/claims-request.ts'
import { type Client, TURNED_OFF } from '../clients/client.ts'
import { TURN_ON } from '../problems/diagnosed-error.ts'
import { mayOmitPkce, problemOfChallenge } from '../protocol/pkce.ts'
import { ALLOW_SCOPES, includesAll, parseScope, scopesBeyond } from '../protocol/scope.ts'
import type { Provider } from '../provider.ts'
import {
  type AuthorizationRequest,
  RESPONSE_MODES,
  RedirectedError,
  type ResponseTarget,
} from './authorization-request.ts'
import { readIdTokenHint } from './id-token-hint.ts'

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
    throw new RedirectedError(draft, 'invalid_request', `The parameter ${name.slice(0, 50)} is given twice.`)
}

/** Request objects (OpenID Connect Core 6) are neither read nor fetched. */
function checkNoRequestObject(draft: Draft): void {
  if (draft.parameters['request'] !== undefined)
    throw new RedirectedError(draft, 'request_not_supported', 'Request objects are not supported.')
  if (draft.parameters['request_uri'] !== undefined)
    throw new RedirectedError(draft, 'request_uri_not_supported', 'Request objects are not supported.')
}

function checkResponseType(draft: Draft): void {
  const type = draft.parameters['response_type']
  if (type === undefined) throw new RedirectedError(draft, 'invalid_request', 'The parameter response_type is missing.')
  if (type !== 'code')
    throw new RedirectedError(draft, 'unsupported_response_type', 'The only response_type here is code.')
}

function checkResponseMode(draft: Draft): void {
  const mode = draft.parameters['response_mode'] ?? 'query'
  if (!RESPONSE_MODES.some((each) => each === mode))
    throw new RedirectedError(draft, 'invalid_request', `The response_mode may be ${RESPONSE_MODES.join(', ')}.`)
  if (mode !== draft.responseMode)
    throw new RedirectedError(draft, 'invalid_request', 'A form can be sent to http and https addresses only.')
}

type ErrorTarget = ResponseTarget & Pick<AuthorizationRequest, 'client'>

export function checkClientMayUseCodes(draft: ErrorTarget): void {
  if (draft.client.disabled) throw new RedirectedError(draft, 'unauthorized_client', TURNED_OFF, { hint: TURN_ON })
  if (!draft.client.grantTypes.includes('authorization_code'))
    throw new RedirectedError(draft, 'unauthorized_client', 'This application may not use authorization codes.')
}

function checkScope(draft: Draft): void {
  const scopes = parseScope(draft.parameters['scope'])
  if (scopes === undefined || scopes.length === 0)
    throw new RedirectedError(draft, 'invalid_scope', 'The scope is missing or malformed.', {
      hint: ALLOW_SCOPES,
      sent: scopesBeyond(draft.parameters['scope'], draft.client.scopes),
      expected: draft.client.scopes.join(' '),
    })
  checkClientMayRequest(draft, scopes)
  draft.scopes = scopes
  draft.consentScopes = scopes
}

export function checkClientMayRequest(draft: ErrorTarget, scopes: string[]): void {
  if (includesAll(draft.client.scopes, scopes)) return
  const beyond = scopes.filter((scope) => !draft.client.scopes.includes(scope)).join(' ')
  throw new RedirectedError(draft, 'invalid_scope', 'The scope goes beyond what this application may ask for.', {
    hint: ALLOW_SCOPES,
    sent: beyond,
    expected: draft.client.scopes.join(' '),
  })
}

function checkChallenge(draft: Draft): void {
  const { code_challenge: challenge, code_challenge_method: method } = draft.parameters
  if (challenge === undefined && method === undefined && mayOmitPkce(draft.provider.config, draft.client))
    return checkReplacementOfPkce(draft)
  if (challenge === undefined)
    throw new RedirectedError(
      draft,
      'invalid_request',
      'PKCE is required: the parameter code_challenge is missing.',
      missingPkce(draft),
    )
  const problem = problemOfChallenge(challenge, method)
  if (problem !== undefined) throw new RedirectedError(draft, 'invalid_request', problem)
}

/** Without PKCE, only a nonce in the ID token shows that a code was not injected (RFC 9700 section 2.1.1). */
function checkReplacementOfPkce(draft: Draft): void {
  if (draft.scopes.includes('openid') && draft.nonce !== undefined) return
  throw new RedirectedError(draft, 'invalid_request', 'Without PKCE a request needs the scope openid and a nonce.', {
    hint: 'Turn PKCE on in the application, or let it send a nonce and the scope openid.',
    sent: draft.nonce === undefined ? 'neither code_challenge nor nonce' : 'no code_challenge, no scope openid',
    expected: 'code_challenge, or nonce and the scope openid',
  })
}

/** What there is for software that can't send PKCE. */
const withoutPkce = (
  { clientType }: Pick<Client, 'clientType'>,
  { allowMissingPkce }: Pick<Config, 'allowMissingPkce'>,
): string =>
  clientType === 'public'
    ? 'A public client always needs it; software that has a server but no PKCE is registered as a confidential client.'
    : allowMissingPkce
      ? 'If it has no such setting, make PKCE optional for it here (pkce: optional).'
      : 'If it has no such setting, whoever runs this service can set ALLOW_MISSING_PKCE=on; then PKCE can be made optional for this application (pkce: optional).'

const missingPkce = ({ client, provider }: Draft) => ({
  hint: `Turn PKCE (S256) on in the application. ${withoutPkce(client, provider.config)}`,
  sent: 'no code_challenge',
  expected: 'code_challenge with code_challenge_method=S256',
})

/** It is stored and signed, so its length is limited. */
const MAX_NONCE_LENGTH = 1024

function checkNonce(draft: Draft): void {
  if ((draft.nonce?.length ?? 0) > MAX_NONCE_LENGTH)
    throw new RedirectedError(draft, 'invalid_request', `The nonce is longer than ${MAX_NONCE_LENGTH} characters.`)
}

const PROMPTS = new Set(['none', 'login', 'consent', 'select_account'])

function checkPrompt(draft: Draft): void {
  const prompts = new Set((draft.parameters['prompt'] ?? '').split(' ').filter((each) => each !== ''))
  if (!prompts.isSubsetOf(PROMPTS))
    throw new RedirectedError(draft, 'invalid_request', 'The prompt may be none, login, consent, select_account.')
  if (prompts.has('none') && prompts.size > 1)
    throw new RedirectedError(draft, 'invalid_request', 'The prompt none stands alone.')
  draft.prompts = prompts
}

function checkMaxAge(draft: Draft): void {
  const text = draft.parameters['max_age']
  if (text === undefined) return
  if (!/^\d{1,10}$/.test(text))
    throw new RedirectedError(draft, 'invalid_request', 'The max_age must be a number of seconds.')
  draft.maxAge = Number(text)
}

function checkClaims(draft: Draft): void {
  const text = draft.parameters['claims']
  if (text === undefined) return
  const claims = readClaims(text, draft.client.scopes)
  if (!claims) throw new RedirectedError(draft, 'invalid_request', 'The claims must be a JSON object.')
  draft.claims = claims
  draft.consentScopes = [...new Set([...draft.scopes, ...scopesOfClaims(claims)])]
  draft.hintedUser = claims.subject
}

async function checkIdTokenHint(draft: Draft): Promise<void> {
  const hint = draft.parameters['id_token_hint']
  if (hint === undefined) return
  const token = await readIdTokenHint(draft.provider, hint)
  if (!token)
    throw new RedirectedError(draft, 'invalid_request', 'The id_token_hint is not a token that was issued here.')
  if (draft.hintedUser !== undefined && draft.hintedUser !== token.sub)
    throw new RedirectedError(draft, 'invalid_request', 'The claims and the id_token_hint are about two users.')
  draft.hintedUser = token.sub
}
