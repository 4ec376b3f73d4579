import type { Config } from '../../platform/config/config.ts'
import { NO_CLAIMS } from '../claims/claims-request.ts'
import type { KnownClient } from '../clients/client.ts'
import { isRedirectUri, isWeb } from '../clients/redirect-uri.ts'
import { ClientError, unknownClient, withoutQuery } from '../problems/diagnosed-error.ts'
import type { Parameters, ReadParameters } from '../protocol/parameters.ts'
import { mayOmitPkce } from '../protocol/pkce.ts'
import { protocolErrors } from '../protocol/protocol-errors.ts'
import type { Provider } from '../provider.ts'
import { CHECKS, type Draft, checkClientMayRequest, checkClientMayUseCodes } from './authorization-checks.ts'
import { authorizationErrors } from './authorization-errors.ts'
import { type AuthorizationRequest, RedirectedError, type ResponseMode } from './authorization-request.ts'

export async function readAuthorizationRequest(
  provider: Pick<Provider, 'clients' | 'config' | 'signingKeys' | 'problems'>,
  { values, repeated }: Omit<ReadParameters, 'encoded'>,
): Promise<AuthorizationRequest> {
  // Errors of client and redirect URL are shown here: redirecting would send the browser to an unchecked URL.
  const { client, redirectUri } = await readDestination(provider, values, repeated)
  const draft: Draft = {
    issuer: provider.config.baseUrl,
    client,
    redirectUri,
    state: repeated.has('state') ? undefined : values['state'],
    responseMode: readResponseMode(values, repeated, redirectUri),
    scopes: [],
    nonce: values['nonce'],
    prompts: new Set(),
    maxAge: undefined,
    hintedUser: undefined,
    claims: NO_CLAIMS,
    acrValues: (values['acr_values'] ?? '').split(' ').filter((each) => each !== ''),
    consentScopes: [],
    parameters: values,
    repeated,
    provider,
  }
  for (const check of CHECKS) await check(draft)
  return { ...draft, codeChallenge: values['code_challenge'] }
}

/** How this request is answered, also when it is refused. */
function readResponseMode(values: Parameters, repeated: ReadonlySet<string>, redirectUri: string): ResponseMode {
  const mode = repeated.has('response_mode') ? undefined : values['response_mode']
  if (mode === 'fragment') return 'fragment'
  return mode === 'form_post' && isWeb(redirectUri) ? 'form_post' : 'query'
}

/**
 * Repeats the checks against the client's record in the transaction that answers the request: a redirect URL that was
 * removed meanwhile gets no code, and a scope that was removed is not granted. Returns the request with that record.
 */
export function recheckClient(
  { config }: Pick<Provider, 'config'>,
  request: AuthorizationRequest,
  client: KnownClient | undefined,
): AuthorizationRequest {
  const present = { ...request, client: checkDestination(config, client, request.redirectUri) }
  checkClientMayUseCodes(present)
  checkClientMayRequest(present, request.consentScopes)
  if (request.codeChallenge === undefined && !mayOmitPkce(config, present.client))
    throw new RedirectedError(present, 'invalid_request', authorizationErrors.pkce_needed_by_now())
  return present
}

async function readDestination(
  { clients, config, problems }: Pick<Provider, 'clients' | 'config' | 'problems'>,
  { client_id: clientId, redirect_uri: redirectUri }: Parameters,
  repeated: ReadonlySet<string>,
): Promise<{ client: KnownClient; redirectUri: string }> {
  if (repeated.has('client_id')) throw protocolErrors.parameter_repeated({ name: 'client_id' })
  if (repeated.has('redirect_uri')) throw protocolErrors.parameter_repeated({ name: 'redirect_uri' })
  if (clientId === undefined) throw protocolErrors.parameter_missing({ name: 'client_id' })
  const client = await clients.find(clientId)
  if (!client) {
    const sent = redirectUri === undefined ? undefined : withoutQuery(redirectUri)
    problems.noteUnknownClient(
      '/oauth/authorize',
      clientId,
      unknownClient(authorizationErrors.client_unknown(), { clientId, sent }),
    )
  }
  if (client && redirectUri === undefined)
    throw new ClientError(clientId, protocolErrors.parameter_missing({ name: 'redirect_uri' }), {
      hint: 'Let the application send its redirect URL with every request.',
      expected: client.redirect_uris.map(withoutQuery).join(' '),
    })
  return { client: checkDestination(config, client, redirectUri ?? ''), redirectUri: redirectUri ?? '' }
}

function checkDestination(config: Config, client: KnownClient | undefined, redirectUri: string): KnownClient {
  if (!client) throw authorizationErrors.client_unknown()
  if (isRedirectUri(config, client, redirectUri)) return client
  throw new ClientError(client.client_id, authorizationErrors.redirect_uri_not_registered(), {
    hint: 'Register this redirect URL here if it is really that of the application; every character counts.',
    sent: withoutQuery(redirectUri),
    expected: client.redirect_uris.map(withoutQuery).join(' '),
  })
}
