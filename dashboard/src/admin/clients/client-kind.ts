import type { Client } from '../../api/shapes.ts'

export type ClientKind = 'web' | 'app' | 'machine' | 'device'

/** What an application is to a person, rather than to the protocol. */
export function kindOf({ clientType, grantTypes, redirect_uris: redirectUris }: Client): ClientKind {
  const signsIn = grantTypes.includes('authorization_code') && redirectUris.length > 0
  if (!signsIn && grantTypes.includes('client_credentials')) return 'machine'
  if (!signsIn && grantTypes.some((grant) => grant.endsWith(':device_code'))) return 'device'
  return clientType === 'public' ? 'app' : 'web'
}
