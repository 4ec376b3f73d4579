import { hash } from 'node:crypto'
import type { Services } from '../../services.ts'
import { unpackClaims } from '../authorize/claims-request.ts'
import { userClaims } from './user-claims.ts'

const LIFETIME_SECONDS = 3600

/** Who signed in, when and how: the same in every ID token of an authorization. */
export interface Authentication {
  userId: string
  clientId: string
  /** Epoch seconds. */
  authTime: number
  acr: string
  amr: string
}

/** OpenID Connect Core section 2. Only the first ID token of an authorization has the nonce (section 12.2). */
export function issueIdToken(
  { config, signingKeys, now }: Pick<Services, 'config' | 'signingKeys' | 'now'>,
  { userId, clientId, authTime, acr, amr }: Authentication,
  accessToken: string,
  { nonce, named }: { nonce: string | null; named: Record<string, unknown> },
): string {
  const issuedAt = Math.floor(now() / 1000)
  return signingKeys.sign({
    ...named,
    iss: config.baseUrl,
    sub: userId,
    aud: clientId,
    iat: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
    ...(nonce === null ? {} : { nonce }),
    auth_time: authTime,
    acr,
    amr: amr.split(' '),
    at_hash: accessTokenHash(accessToken),
  })
}

/** OpenID Connect Core 3.1.3.6: the left half of the digest. */
const accessTokenHash = (token: string): string => hash('sha256', token, 'buffer').subarray(0, 16).toString('base64url')

/** Besides `sub`, an ID token holds only claims about the user that are requested by name (OpenID Connect Core 5.5). */
export function namedClaims(
  row: Parameters<typeof userClaims>[0] & { userId: string; claims: string | null },
  baseUrl: string,
): Record<string, unknown> {
  const named = unpackClaims(row.claims).idToken
  return named.length === 0 ? {} : userClaims(row, { userId: row.userId, scope: '', named, baseUrl })
}
