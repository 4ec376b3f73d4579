import type { Client } from '../../api/shapes.ts'

export type ClientKind = 'web' | 'app' | 'machine' | 'device' | 'site'

/** What an application is to a person, rather than to the protocol. */
export function kindOf({ clientType, grantTypes, redirect_uris: redirectUris }: Client): ClientKind {
  if (clientType === 'proxied') return 'site'
  const signsIn = grantTypes.includes('authorization_code') && redirectUris.length > 0
  if (!signsIn && grantTypes.includes('client_credentials')) return 'machine'
  if (!signsIn && grantTypes.some((grant) => grant.endsWith(':device_code'))) return 'device'
  return clientType === 'public' ? 'app' : 'web'
}

type PkceSettings = Pick<Client, 'pkce' | 'pkceLastMissingAt' | 'pkceLastSentAt'>

/** Whether the application needs PKCE, and if not, whether it sends PKCE by now, so that the exception can go. */
export function pkceState({
  pkce,
  pkceLastMissingAt,
  pkceLastSentAt,
}: PkceSettings): 'required' | 'optional' | 'unused' {
  if (pkce === 'required') return 'required'
  return pkceLastSentAt !== null && pkceLastSentAt > (pkceLastMissingAt ?? 0) ? 'unused' : 'optional'
}
