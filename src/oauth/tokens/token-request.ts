import { type ClientRequest, type GrantRequest, runAsClient } from '../clients/authenticate-client.ts'
import { DEVICE_CODE, type GrantType } from '../clients/grant-types.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { protocolErrors } from '../protocol/protocol-errors.ts'
import type { Provider } from '../provider.ts'
import { exchangeCode } from './authorization-code.ts'
import { exchangeClientCredentials } from './client-credentials.ts'
import { exchangeDeviceCode } from './device-code.ts'
import type { TokenAnswer } from './issue-tokens.ts'
import { exchangeRefreshToken } from './refresh-token.ts'
import { tokenErrors } from './token-errors.ts'

interface Grant {
  exchange(provider: Provider, request: GrantRequest): Promise<TokenAnswer>
  /** What its requests have besides `grant_type` and the credentials of the client, as the API describes it. */
  parameters: Record<string, string>
}

const SCOPE = 'For refresh_token and client_credentials: fewer scopes than were granted.'

const GRANTS: Record<GrantType, Grant> = {
  authorization_code: {
    exchange: exchangeCode,
    parameters: {
      code: 'For authorization_code.',
      redirect_uri: 'For authorization_code: that of the authorization request.',
      code_verifier: 'For a code whose request had a code_challenge: 43 to 128 characters from A-Z a-z 0-9 - . _ ~',
    },
  },
  refresh_token: {
    exchange: exchangeRefreshToken,
    parameters: { refresh_token: 'For refresh_token.', scope: SCOPE },
  },
  client_credentials: { exchange: exchangeClientCredentials, parameters: { scope: SCOPE } },
  [DEVICE_CODE]: {
    exchange: exchangeDeviceCode,
    parameters: { device_code: 'For a device code: the one that the device was given.' },
  },
}

/** The parameters of all grants. */
export const GRANT_PARAMETERS: Record<string, string> = Object.assign(
  {},
  ...Object.values(GRANTS).map(({ parameters }) => parameters),
)

/** Answers the token endpoint. Repeated parameters were refused when the form was parsed. */
export async function answerTokenRequest(provider: Provider, request: ClientRequest): Promise<TokenAnswer> {
  refuseMissingClient(request)
  const { form, source } = request
  return runAsClient(provider, request, async (client) =>
    GRANTS[readGrantType(form)].exchange(provider, { client, form, source }),
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
