import type { Client } from '../../api/shapes.ts'

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
