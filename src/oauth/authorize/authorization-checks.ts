import type { Config } from '../../platform/config/config.ts'
import { readClaims, scopesOfClaims } from '../claims/claims-request.ts'
import { clientErrors } from '../clients/client-errors.ts'
import type { Client } from '../clients/client.ts'
import { TURN_ON } from '../problems/diagnosed-error.ts'
import { mayOmitPkce, problemOfChallenge } from '../protocol/pkce.ts'
import { protocolErrors } from '../protocol/protocol-errors.ts'
import { ALLOW_SCOPES, grantableScopes, includesAll, parseScope, scopesBeyond } from '../protocol/scope.ts'
import type { Provider } from '../provider.ts'
import { authorizationErrors } from './authorization-errors.ts'
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
    throw new RedirectedError(draft, 'invalid_request', protocolErrors.parameter_repeated({ name: name.slice(0, 50) }))
}

/** Request objects (OpenID Connect Core 6) are neither read nor fetched. */
function checkNoRequestObject(draft: Draft): void {
  if (draft.parameters['request'] !== undefined)
    throw new RedirectedError(draft, 'request_not_supported', authorizationErrors.request_objects_unsupported())
  if (draft.parameters['request_uri'] !== undefined)
    throw new RedirectedError(draft, 'request_uri_not_supported', authorizationErrors.request_objects_unsupported())
}

function checkResponseType(draft: Draft): void {
  const type = draft.parameters['response_type']
  if (type === undefined)
    throw new RedirectedError(draft, 'invalid_request', protocolErrors.parameter_missing({ name: 'response_type' }))
  if (type !== 'code')
    throw new RedirectedError(draft, 'unsupported_response_type', authorizationErrors.response_type_unknown())
}

function checkResponseMode(draft: Draft): void {
  const mode = draft.parameters['response_mode'] ?? 'query'
  if (!RESPONSE_MODES.some((each) => each === mode))
    throw new RedirectedError(
      draft,
      'invalid_request',
      authorizationErrors.response_mode_unknown({ known: RESPONSE_MODES.join(', ') }),
    )
  if (mode !== draft.responseMode)
    throw new RedirectedError(draft, 'invalid_request', authorizationErrors.form_needs_web_address())
}

type ErrorTarget = ResponseTarget & Pick<AuthorizationRequest, 'client'>

export function checkClientMayUseCodes(draft: ErrorTarget): void {
  if (draft.client.disabled)
    throw new RedirectedError(draft, 'unauthorized_client', clientErrors.application_turned_off(), { hint: TURN_ON })
  if (!draft.client.grantTypes.includes('authorization_code'))
    throw new RedirectedError(draft, 'unauthorized_client', authorizationErrors.authorization_codes_not_allowed())
}

function checkScope(draft: Draft): void {
  const scopes = parseScope(draft.parameters['scope'])
  if (scopes === undefined || scopes.length === 0)
    throw new RedirectedError(draft, 'invalid_scope', protocolErrors.scope_malformed(), {
      hint: ALLOW_SCOPES,
      sent: scopesBeyond(draft.parameters['scope'], draft.client.scopes),
      expected: draft.client.scopes.join(' '),
    })
  checkClientMayRequest(draft, scopes)
  draft.scopes = scopes
  draft.consentScopes = scopes
}

export function checkClientMayRequest(draft: ErrorTarget, scopes: string[]): void {
  const allowed = grantableScopes(draft.client.scopes)
  if (includesAll(allowed, scopes)) return
  const beyond = scopes.filter((scope) => !allowed.includes(scope)).join(' ')
  throw new RedirectedError(draft, 'invalid_scope', protocolErrors.scope_not_allowed(), {
    hint: ALLOW_SCOPES,
    sent: beyond,
    expected: allowed.join(' '),
  })
}

function checkChallenge(draft: Draft): void {
  const { code_challenge: challenge, code_challenge_method: method } = draft.parameters
  if (challenge === undefined && method === undefined && mayOmitPkce(draft.provider.config, draft.client))
    return checkReplacementOfPkce(draft)
  if (challenge === undefined)
    throw new RedirectedError(draft, 'invalid_request', authorizationErrors.pkce_needed(), missingPkce(draft))
  const problem = problemOfChallenge(challenge, method)
  if (problem) throw new RedirectedError(draft, 'invalid_request', problem)
}

/** Without PKCE, only a nonce in the ID token shows that a code was not injected (RFC 9700 section 2.1.1). */
function checkReplacementOfPkce(draft: Draft): void {
  if (draft.scopes.includes('openid') && draft.nonce !== undefined) return
  throw new RedirectedError(draft, 'invalid_request', authorizationErrors.nonce_needed(), {
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
    throw new RedirectedError(draft, 'invalid_request', authorizationErrors.nonce_too_long({ max: MAX_NONCE_LENGTH }))
}

const PROMPTS = new Set(['none', 'login', 'consent', 'select_account'])

function checkPrompt(draft: Draft): void {
  const prompts = new Set((draft.parameters['prompt'] ?? '').split(' ').filter((each) => each !== ''))
  if (!prompts.isSubsetOf(PROMPTS))
    throw new RedirectedError(draft, 'invalid_request', authorizationErrors.prompt_unknown())
  if (prompts.has('none') && prompts.size > 1)
    throw new RedirectedError(draft, 'invalid_request', authorizationErrors.prompt_none_not_alone())
  draft.prompts = prompts
}

function checkMaxAge(draft: Draft): void {
  const text = draft.parameters['max_age']
  if (text === undefined) return
  if (!/^\d{1,10}$/.test(text))
    throw new RedirectedError(draft, 'invalid_request', authorizationErrors.max_age_malformed())
  draft.maxAge = Number(text)
}

function checkClaims(draft: Draft): void {
  const text = draft.parameters['claims']
  if (text === undefined) return
  const claims = readClaims(text, draft.client.scopes)
  if (!claims) throw new RedirectedError(draft, 'invalid_request', authorizationErrors.claims_malformed())
  draft.claims = claims
  draft.consentScopes = [...new Set([...draft.scopes, ...scopesOfClaims(claims)])]
  draft.hintedUser = claims.subject
}

async function checkIdTokenHint(draft: Draft): Promise<void> {
  const hint = draft.parameters['id_token_hint']
  if (hint === undefined) return
  const token = await readIdTokenHint(draft.provider, hint)
  if (!token) throw new RedirectedError(draft, 'invalid_request', protocolErrors.id_token_hint_unknown())
  if (draft.hintedUser !== undefined && draft.hintedUser !== token.sub)
    throw new RedirectedError(draft, 'invalid_request', authorizationErrors.two_users_hinted())
  draft.hintedUser = token.sub
}
