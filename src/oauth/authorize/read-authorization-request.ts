import { refuse } from '../../errors.ts'
import type { KnownClient } from '../clients/client.ts'
import { isRegisteredUri } from '../clients/redirect-uri.ts'
import type { Parameters, ReadParameters } from '../parameters.ts'
import type { Provider } from '../provider.ts'
import { checkClientMayRequest, checkClientMayUseCodes, CHECKS, type Draft } from './authorization-checks.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { NO_CLAIMS } from './claims-request.ts'

export async function readAuthorizationRequest(
  provider: Pick<Provider, 'clients' | 'config' | 'signingKeys'>,
  { values, repeated }: Omit<ReadParameters, 'encoded'>,
): Promise<AuthorizationRequest> {
  // Errors of client and redirect URL are shown here: redirecting would send the browser to an unchecked URL.
  const { client, redirectUri } = await readDestination(provider, values, repeated)
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
  return { ...draft, codeChallenge: values['code_challenge'] ?? '' }
}

/**
 * Repeats the checks against the client's record in the transaction that answers the request: a redirect URL that was
 * removed meanwhile gets no code, and a scope that was removed is not granted.
 */
export function recheckClient(request: AuthorizationRequest, client: KnownClient | undefined): void {
  const present = { ...request, client: checkDestination(client, request.redirectUri) }
  checkClientMayUseCodes(present)
  checkClientMayRequest(present, request.consentScopes)
}

async function readDestination(
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
