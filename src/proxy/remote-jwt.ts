import { originOf } from '../oauth/sites/site-host.ts'
import { newId } from '../platform/ids.ts'
import { PROXY_TOKEN } from '../platform/keys/signing-keys.ts'
import type { Services } from '../platform/services.ts'
import type { Visitor } from './visitor.ts'

/** Tells an application who its visitor is, signed, so that it need not trust its network. */
export type SignVisitor = (host: string, visitor: Visitor) => string

const LIFETIME_S = 60
/** A token is sent again while it is valid for at least this long. */
const LEFT_S = 30
const MAX_KEPT = 10_000

/** A page makes many requests within a moment. One signature takes longer than everything else that its answer needs. */
export function createSignVisitor({
  config,
  now,
  signingKeys,
}: Pick<Services, 'config' | 'now' | 'signingKeys'>): SignVisitor {
  const kept = new Map<string, { token: string; issuedAt: number }>()
  return (host, visitor) => {
    const at = Math.floor(now() / 1000)
    const about = {
      preferred_username: visitor.username,
      ...(visitor.isEmailVerified ? { email: visitor.email } : {}),
      ...(visitor.name === '' ? {} : { name: visitor.name }),
      groups: visitor.groups,
    }
    const key = `${host}\0${visitor.id}\0${JSON.stringify(about)}`
    const known = kept.get(key)
    // A time in the future was taken from a clock that was wrong.
    if (known && known.issuedAt <= at && at <= known.issuedAt + LIFETIME_S - LEFT_S) return known.token
    const token = signingKeys.sign(
      {
        ...about,
        iss: config.baseUrl,
        sub: visitor.id,
        aud: originOf(host),
        iat: at,
        exp: at + LIFETIME_S,
        jti: newId(),
      },
      'ES256',
      PROXY_TOKEN,
    )
    if (kept.size >= MAX_KEPT) kept.clear()
    kept.set(key, { token, issuedAt: at })
    return token
  }
}
