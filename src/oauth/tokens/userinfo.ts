import { digest } from '../../platform/crypto/digest.ts'
import { unpackClaims } from '../claims/claims-request.ts'
import { mappedClaims } from '../claims/mapped-claims.ts'
import { userClaims } from '../claims/user-claims.ts'
import { hasScope } from '../protocol/scope.ts'
import type { Provider } from '../provider.ts'
import { tokenErrors } from './token-errors.ts'
import { findAccessToken } from './token-store.ts'

/** OpenID Connect Core 5.3: the claims about the user of an access token. */
export async function readUserinfo(
  { db, now, config }: Pick<Provider, 'db' | 'now' | 'config'>,
  bearer: string | undefined,
) {
  // A request without a token gets a challenge without an error code (RFC 6750 section 3.1).
  if (bearer === undefined) throw tokenErrors.access_token_needed({ challenge: 'Bearer' })
  const token = await findAccessToken(db.read, digest(bearer), now())
  if (!token)
    throw tokenErrors.access_token_unusable({
      challenge: 'Bearer error="invalid_token"',
    })
  // Not invalid_token: a client would get a new token, which is refused in the same way, and try again without end.
  if (token.userId === null) throw tokenErrors.access_token_of_client(SCOPE_CHALLENGE)
  if (!hasScope(token.scope, 'openid')) throw tokenErrors.access_token_lacks_openid(SCOPE_CHALLENGE)
  const { userId, scope } = token
  const named = unpackClaims(token.claims).userinfo
  const claims = userClaims(token, { userId, scope, named, baseUrl: config.baseUrl })
  return { ...claims, ...mappedClaims(token, 'userinfo'), sub: userId }
}

const SCOPE_CHALLENGE = { challenge: 'Bearer error="insufficient_scope", scope="openid"' }
