import { refuse } from '../../errors.ts'
import type { Config } from '../../platform/config/config.ts'
import { NO_CLAIMS } from '../claims/claims-request.ts'
import type { KnownClient } from '../clients/client.ts'
import { isRegisteredUri, isWeb, trialUri } from '../clients/redirect-uri.ts'
import { ClientError, unknownClient, withoutQuery } from '../problems/diagnosed-error.ts'
import type { Parameters, ReadParameters } from '../protocol/parameters.ts'
import { mayOmitPkce } from '../protocol/pkce.ts'
import type { Provider } from '../provider.ts'
import { CHECKS, type Draft, checkClientMayRequest, checkClientMayUseCodes } from './authorization-checks.ts'
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
    throw new RedirectedError(present, 'invalid_request', 'PKCE is required by now. Start again.')
  return present
}

async function readDestination(
  { clients, config, problems }: Pick<Provider, 'clients' | 'config' | 'problems'>,
  { client_id: clientId, redirect_uri: redirectUri }: Parameters,
  repeated: ReadonlySet<string>,
): Promise<{ client: KnownClient; redirectUri: string }> {
  if (repeated.has('client_id')) refuse('invalid_request', 'The parameter client_id is given twice.')
  if (repeated.has('redirect_uri')) refuse('invalid_request', 'The parameter redirect_uri is given twice.')
  if (clientId === undefined) refuse('invalid_request', 'The parameter client_id is missing.')
  const client = await clients.find(clientId)
  if (!client) {
    const sent = redirectUri === undefined ? undefined : withoutQuery(redirectUri)
    problems.noteUnknownClient(
      '/oauth/authorize',
      clientId,
      unknownClient('invalid_request', UNKNOWN, { clientId, sent }),
    )
  }
  if (client && redirectUri === undefined)
    throw new ClientError(clientId, 'invalid_request', 'The parameter redirect_uri is missing.', {
      hint: 'Let the application send its redirect URL with every request.',
      expected: client.redirect_uris.map(withoutQuery).join(' '),
    })
  return { client: checkDestination(config, client, redirectUri ?? ''), redirectUri: redirectUri ?? '' }
}

const UNKNOWN = 'No application is registered under this client_id.'

function checkDestination(config: Config, client: KnownClient | undefined, redirectUri: string): KnownClient {
  if (!client) return refuse('invalid_request', UNKNOWN)
  if (isRegisteredUri(client.redirect_uris, redirectUri)) return client
  if (redirectUri === trialUri(config, client.client_id)) return client
  throw new ClientError(
    client.client_id,
    'invalid_request',
    'The redirect_uri is not one that this application has registered.',
    {
      hint: 'Register this redirect URL here if it is really that of the application; every character counts.',
      sent: withoutQuery(redirectUri),
      expected: client.redirect_uris.map(withoutQuery).join(' '),
    },
  )
}
