import type { Provider } from '../provider.ts'
import { scopeRefused } from '../refusals/client-refusal.ts'
import { includesAll, parseScope } from '../scope.ts'
import { type GrantRequest, requireGrantType } from './grant-request.ts'
import { issueClientToken, type TokenAnswer } from './issue-tokens.ts'

/** RFC 6749 section 4.4. A client that names no scope gets all of its own. */
export async function exchangeClientCredentials(
  provider: Provider,
  { client, form }: GrantRequest,
): Promise<TokenAnswer> {
  requireGrantType(client, 'client_credentials')
  const scopes = form['scope'] === undefined ? client.scopes : parseScope(form['scope'])
  if (scopes === undefined || !includesAll(client.scopes, scopes))
    throw scopeRefused('The scope goes beyond what this client may ask for.', {
      requested: form['scope'],
      allowed: client.scopes,
    })
  return issueClientToken(provider, client, scopes.join(' '))
}
