import { type ClientRequest, type GrantRequest, runAsClient } from '../clients/authenticate-client.ts'
import { DEVICE_CODE, type GrantType } from '../clients/client.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { protocolErrors } from '../protocol/protocol-errors.ts'
import type { Provider } from '../provider.ts'
import { exchangeCode } from './authorization-code.ts'
import { exchangeClientCredentials } from './client-credentials.ts'
import { exchangeDeviceCode } from './device-code.ts'
import type { TokenAnswer } from './issue-tokens.ts'
import { exchangeRefreshToken } from './refresh-token.ts'
import { tokenErrors } from './token-errors.ts'

type Exchange = (provider: Provider, request: GrantRequest) => Promise<TokenAnswer>

const GRANTS: Record<GrantType, Exchange> = {
  authorization_code: exchangeCode,
  refresh_token: exchangeRefreshToken,
  client_credentials: exchangeClientCredentials,
  [DEVICE_CODE]: exchangeDeviceCode,
}

/** Answers the token endpoint. Repeated parameters were refused when the form was parsed. */
export async function answerTokenRequest(provider: Provider, request: ClientRequest): Promise<TokenAnswer> {
  refuseMissingClient(request)
  const { form, source } = request
  return runAsClient(provider, request, async (client) =>
    GRANTS[readGrantType(form)](provider, { client, form, source }),
  )
}

/** Here a missing client_id is a malformed request; at the endpoints of other RFCs it is a client that did not authenticate. */
function refuseMissingClient({ authorization, form }: ClientRequest): void {
  if (authorization === undefined && form['client_id'] === undefined)
    throw protocolErrors.parameter_missing({ name: 'client_id' })
}

function readGrantType({ grant_type: grantType }: Parameters): GrantType {
  if (grantType === undefined) throw protocolErrors.parameter_missing({ name: 'grant_type' })
  if (!Object.hasOwn(GRANTS, grantType)) throw tokenErrors.grant_type_unknown({ known: Object.keys(GRANTS).join(', ') })
  return grantType as GrantType
}
