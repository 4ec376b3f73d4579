import { digest } from '../../platform/crypto/digest.ts'
import { mappedClaims } from '../claims/mapped-claims.ts'
import { userClaims } from '../claims/user-claims.ts'
import type { KnownClient } from '../clients/client.ts'
import type { Provider } from '../provider.ts'
import { isUsable } from './refresh-token.ts'
import { deleteAccessToken, findAccessToken, findRefreshToken, markFamilyRevoked } from './token-store.ts'

/** RFC 7662 section 2.2. */
export interface Introspection {
  active: boolean
  scope?: string
  client_id?: string
  username?: string
  token_type?: string
  exp?: number
  iat?: number
  sub?: string
  aud?: string
  iss?: string
  /** How and when the person signed in; absent where none stands behind the token. */
  acr?: string
  auth_time?: number
  /** Claims that are mapped for the client of the token, and those of its scopes if the asking client gets them. */
  [claim: string]: unknown
}

/** The whole answer for a token that is not valid, or that this client may not ask about. */
const INACTIVE: Introspection = { active: false }

/** Confidential clients may be resource servers, so they may ask about any token; public ones only about their own. */
export async function introspect(
  { db, now, config }: Pick<Provider, 'db' | 'now' | 'config'>,
  client: KnownClient,
  token: string,
): Promise<Introspection> {
  const found = token.startsWith('rt_') ? await liveRefreshToken(db, token, now()) : await liveToken(db, token, now())
  if (!found || (client.clientType === 'public' && found.clientId !== client.client_id)) return INACTIVE
  const answer: Introspection = {
    // First: no claim about the person replaces one of these, and a mapped one replaces that of a scope.
    ...(found.userId !== null && client.introspectionClaims
      ? userClaims(found, { userId: found.userId, scope: found.scope, named: [], baseUrl: config.baseUrl })
      : undefined),
    ...(found.userId === null ? undefined : mappedClaims(found, 'introspection')),
    active: true,
    scope: found.scope,
    client_id: found.clientId,
    exp: Math.floor(found.expiresAt / 1000),
    iat: Math.floor(found.issuedAt / 1000),
    // A client that acts for itself is its own subject (RFC 9068 section 2.2).
    sub: found.userId ?? found.clientId,
    aud: found.clientId,
    iss: config.baseUrl,
  }
  if (found.preferred_username !== null) answer.username = found.preferred_username
  if (found.userId !== null && found.acr !== null && found.authTime !== null) {
    answer.acr = found.acr
    answer.auth_time = found.authTime
  }
  if (!token.startsWith('rt_')) answer.token_type = 'Bearer'
  return answer
}

const liveToken = (db: Provider['db'], token: string, now: number) => findAccessToken(db.read, digest(token), now)

async function liveRefreshToken(db: Provider['db'], token: string, now: number) {
  const found = await findRefreshToken(db.read, digest(token), now)
  return found && isUsable(found, now) ? found : undefined
}

/** RFC 7009. The prefix of the token says what it is, so a wrong token_type_hint does not matter (section 2.1). */
export async function revokeToken({ db, now }: Pick<Provider, 'db' | 'now'>, clientId: string, token: string) {
  await db.transaction((trx) =>
    token.startsWith('rt_')
      ? markFamilyRevoked(trx, digest(token), clientId, now())
      : deleteAccessToken(trx, digest(token), clientId),
  )
}
