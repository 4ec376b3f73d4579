import type { FastifyRequest } from 'fastify'
import { refuse } from '../../errors.ts'
import { sourceOf } from '../../http/request-source.ts'
import { authenticateClient } from '../clients/authenticate-client.ts'
import type { GrantType } from '../clients/client.ts'
import type { Parameters } from '../parameters.ts'
import type { Provider } from '../provider.ts'
import { exchangeCode } from './authorization-code.ts'
import { exchangeClientCredentials } from './client-credentials.ts'
import type { GrantRequest } from './grant-request.ts'
import type { TokenAnswer } from './issue-tokens.ts'
import { exchangeRefreshToken } from './refresh-token.ts'

type Exchange = (provider: Provider, request: GrantRequest) => Promise<TokenAnswer>

const GRANTS: Record<GrantType, Exchange> = {
  authorization_code: exchangeCode,
  refresh_token: exchangeRefreshToken,
  client_credentials: exchangeClientCredentials,
}

/** The token endpoint, step by step. That each parameter comes once has been seen to when the form was read. */
export async function answerTokenRequest(
  provider: Provider,
  request: FastifyRequest,
  form: Parameters,
): Promise<TokenAnswer> {
  const began = provider.redemptions.begin()
  refuseUnnamedClient(request, form)
  const client = await authenticateClient(provider, request, form)
  const grantType = readGrantType(form)
  return GRANTS[grantType](provider, { client, form, began, source: sourceOf(provider.locate, request) })
}

/** Here a missing client_id is a malformed request; at the endpoints of other RFCs it is a client that did not authenticate. */
function refuseUnnamedClient(request: FastifyRequest, form: Parameters): void {
  if (request.headers.authorization === undefined && form['client_id'] === undefined)
    refuse('invalid_request', 'The parameter client_id is missing.')
}

function readGrantType({ grant_type: asked }: Parameters): GrantType {
  if (asked === undefined) return refuse('invalid_request', 'The parameter grant_type is missing.')
  if (!Object.hasOwn(GRANTS, asked))
    return refuse('unsupported_grant_type', `The grant types here are ${Object.keys(GRANTS).join(', ')}.`)
  return asked as GrantType
}
