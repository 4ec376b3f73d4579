import { type HeaderNames, headerOf, IDENTITY_FIELDS, type IdentityField } from '../oauth/sites/identity-header.ts'
import type { SignVisitor } from './remote-jwt.ts'
import type { Visitor } from './visitor.ts'

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
