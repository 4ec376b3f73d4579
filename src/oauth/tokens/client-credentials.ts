import { type GrantRequest, requireGrantType } from '../clients/authenticate-client.ts'
import { protocolErrors } from '../protocol/protocol-errors.ts'
import { includesAll, parseScope, scopeError } from '../protocol/scope.ts'
import type { Provider } from '../provider.ts'
import { type TokenAnswer, issueClientToken } from './issue-tokens.ts'

/** RFC 6749 section 4.4. A client that names no scope gets all of its own. */
export async function exchangeClientCredentials(
  provider: Provider,
  { client, form }: GrantRequest,
): Promise<TokenAnswer> {
  requireGrantType(client, 'client_credentials')
  const scopes = form['scope'] === undefined ? client.scopes : parseScope(form['scope'])
  if (scopes === undefined || !includesAll(client.scopes, scopes))
    throw scopeError(protocolErrors.scope_not_allowed(), {
      requested: form['scope'],
      allowed: client.scopes,
    })
  return issueClientToken(provider, client, scopes.join(' '))
}
