import { refuse } from '../../errors.ts'
import type { RequestSource } from '../../http/request-source.ts'
import type { GrantType, KnownClient } from '../clients/client.ts'
import type { Parameters } from '../parameters.ts'
import type { Beginning } from './redemptions.ts'

/** What a grant is given to work with: a client that has proved who it is, and what it asks. */
export interface GrantRequest {
  client: KnownClient
  form: Parameters
  source: RequestSource
  began: Beginning
}

export function requireGrantType({ grantTypes }: KnownClient, grantType: GrantType): void {
  if (!grantTypes.includes(grantType))
    refuse('unauthorized_client', `This client may not use the grant type ${grantType}.`)
}
