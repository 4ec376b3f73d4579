import { refuse } from '../../errors.ts'
import type { RequestSource } from '../../platform/http/request-source.ts'
import type { GrantType, KnownClient } from '../clients/client.ts'
import type { Parameters } from '../parameters.ts'

/** A token request of an authenticated client. */
export interface GrantRequest {
  client: KnownClient
  form: Parameters
  source: () => RequestSource
}

export function requireGrantType({ grantTypes }: KnownClient, grantType: GrantType): void {
  if (!grantTypes.includes(grantType))
    refuse('unauthorized_client', `This client may not use the grant type ${grantType}.`)
}
