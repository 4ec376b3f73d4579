import type { FastifyRequest } from 'fastify'
import { normalizeEmail } from '../identity/users/email-address.ts'
import { digest } from '../platform/crypto/digest.ts'
import type { Visitor } from './visitor.ts'

/** What a program sends with HTTP Basic (RFC 7617). */
export interface BasicCredentials {
  user: string
  /** The digest of the password, or empty for one that is no app password: an account's own password is never taken. */
  passwordHash: string
}

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i
const APP_PASSWORD = /^ap_[A-Za-z0-9_-]{43}$/

/** Undefined without the header, or with one of another scheme, which is the application's. */
export function readBasicCredentials({ headers }: FastifyRequest): BasicCredentials | undefined {
  const header = headers.authorization ?? ''
  if (!/^Basic\b/i.test(header)) return undefined
  const text = Buffer.from(BASIC.exec(header)?.[1] ?? '', 'base64').toString()
  const colon = text.indexOf(':')
  const password = text.slice(colon + 1)
  const isAppPassword = colon > 0 && APP_PASSWORD.test(password)
  return { user: text.slice(0, Math.max(colon, 0)), passwordHash: isAppPassword ? digest(password) : '' }
}

export const namesVisitor = ({ user }: BasicCredentials, { username, email }: Visitor): boolean =>
  user === username || normalizeEmail(user) === email

/** RFC 7617 section 2. */
export const BASIC_CHALLENGE = 'Basic realm="App password", charset="UTF-8"'
