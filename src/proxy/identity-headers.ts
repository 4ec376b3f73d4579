import { headerOf, IDENTITY_FIELDS, type HeaderNames, type IdentityField } from '../oauth/sites/identity-header.ts'
import { originOf } from '../oauth/sites/site-host.ts'
import { newId } from '../platform/ids.ts'
import { PROXY_TOKEN } from '../platform/keys/signing-keys.ts'
import type { Services } from '../platform/services.ts'
import type { Visitor } from './visit-store.ts'

/**
 * The headers that name the visitor to the application. All of them are on every answer that lets a request through: a proxy
 * copies them over those of the request, and one that was missing would leave the visitor's own in place.
 */
export function identityHeaders(
  signVisitor: SignVisitor,
  { host, headerNames, visitor }: { host: string; headerNames: string | null; visitor: Visitor | undefined },
): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [field, name] of namesOf(headerNames))
    headers[name] = visitor ? valueOf[field](visitor, host, signVisitor) : ''
  return headers
}

const valueOf: Record<IdentityField, (visitor: Visitor, host: string, signVisitor: SignVisitor) => string> = {
  user: ({ username }) => username,
  email: ({ email, isEmailVerified }) => (isEmailVerified ? toHeader(email) : ''),
  name: ({ name }) => toHeader(name),
  // The list is separated by commas, so a name with one would be two.
  groups: ({ groups }) => toHeader(groups.filter((name) => !name.includes(',')).join(',')),
  jwt: (visitor, host, signVisitor) => signVisitor(host, visitor),
}

/** UTF-8, which Node writes only if it is given as single bytes. Control characters could end the header. */
const toHeader = (text: string): string =>
  Buffer.from(text.replaceAll(/\p{Cc}/gu, '').toWellFormed(), 'utf8').toString('latin1')

const known = new Map<string, [IdentityField, string][]>()
const MAX_KNOWN = 1000

/** By the stored text, because most sites use the same names. */
function namesOf(stored: string | null): [IdentityField, string][] {
  const key = stored ?? '{}'
  const found = known.get(key)
  if (found) return found
  const names = JSON.parse(key) as HeaderNames
  const list = IDENTITY_FIELDS.flatMap((field): [IdentityField, string][] => {
    const name = headerOf(names, field)
    return name === null ? [] : [[field, name]]
  })
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(key, list)
  return list
}

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
