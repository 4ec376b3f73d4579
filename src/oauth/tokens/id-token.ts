import { hash } from 'node:crypto'
import type { SigningAlgorithm } from '../../platform/keys/signing-keys.ts'
import type { Services } from '../../platform/services.ts'
import { unpackClaims } from '../claims/claims-request.ts'
import { type PersonColumns, mappedClaims } from '../claims/mapped-claims.ts'
import { userClaims } from '../claims/user-claims.ts'
import type { Client } from '../clients/client.ts'
import type { SessionClaims } from './session-claims.ts'

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
  {
    nonce,
    session,
    about,
    alg,
  }: { nonce: string | null; session: SessionClaims; about: Record<string, unknown>; alg: SigningAlgorithm },
): string {
  const issuedAt = Math.floor(now() / 1000)
  return signingKeys.sign(
    {
      ...about,
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
      ...session,
    },
    alg,
  )
}

/** OpenID Connect Core 3.1.3.6: the left half of the digest. */
const accessTokenHash = (token: string): string => hash('sha256', token, 'buffer').subarray(0, 16).toString('base64url')

/**
 * What an ID token says about the user besides `sub`: claims that are requested by name (OpenID Connect Core 5.5), those of the
 * scopes if the client wants them here, and those that are mapped for it.
 */
export function idTokenClaims(
  row: Parameters<typeof userClaims>[0] & PersonColumns & { userId: string; claims: string | null },
  { idTokenClaims }: Pick<Client, 'idTokenClaims'>,
  scope: string,
  baseUrl: string,
): Record<string, unknown> {
  const named = unpackClaims(row.claims).idToken
  const scopes = idTokenClaims === 'full' ? scope : ''
  const mapped = mappedClaims(row, 'id_token')
  if (named.length === 0 && scopes === '' && mapped === undefined) return {}
  return { ...userClaims(row, { userId: row.userId, scope: scopes, named, baseUrl }), ...mapped }
}
