import type { JSONWebKeySet } from 'jose'
import type { Provider } from '../provider.ts'

/** What an ID token of ours says about its user and its application. */
export interface IdTokenHint {
  sub: string
  aud: unknown
}

/**
 * A bound for each part, so that no long text is decoded. Claims may hold what is mapped of 16 KB of attributes for each
 * role. A signature has 86 characters with ES256 and 512 with RS256.
 */
const COMPACT = /^[\w-]{1,1000}\.[\w-]{1,48000}\.(?:[\w-]{86}|[\w-]{512})$/

/**
 * Verifies an id_token_hint: undefined unless one of our keys signed it as an ID token of this issuer. Its age does not
 * matter, because applications may send ID tokens that have expired (OpenID Connect Core 3.1.2.1, RP-Initiated Logout 2).
 */
export async function readIdTokenHint(
  { config, signingKeys }: Pick<Provider, 'config' | 'signingKeys'>,
  hint: string,
): Promise<IdTokenHint | undefined> {
  const claims = COMPACT.test(hint) ? await verify(hint, JSON.parse(signingKeys.jwks()) as JSONWebKeySet) : undefined
  const { iss, sub, aud } = claims ?? {}
  return iss === config.baseUrl && typeof sub === 'string' ? { sub, aud } : undefined
}

async function verify(jws: string, keys: JSONWebKeySet): Promise<Record<string, unknown> | undefined> {
  // Loaded at the first hint and not at the start of the service.
  const { compactVerify, createLocalJWKSet } = await import('jose')
  const keySet = createLocalJWKSet(keys)
  try {
    const { payload, protectedHeader } = await compactVerify(jws, keySet, { algorithms: ['ES256', 'RS256'] })
    // Without a kid any key of the set would be tried. Our own tokens always have one. The same keys sign other tokens too,
    // which have another type.
    if (typeof protectedHeader.kid !== 'string' || protectedHeader.typ !== 'JWT') return undefined
    return JSON.parse(Buffer.from(payload).toString()) as Record<string, unknown>
  } catch {
    return undefined
  }
}
