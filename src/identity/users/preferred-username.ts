import { ADMINISTRATOR_USERNAMES, RESERVED_USERNAMES } from './reserved-usernames.ts'

/** A name that a UNIX account may have: the username is also a principal of SSH certificates. */
export const USERNAME_PATTERN = '^[a-z_][a-z0-9_-]{0,31}$'
const MAX_LENGTH = 32

/** The name of a system account, which opens more on hosts than its owner's own account. */
export const isSystemUsername = (name: string): boolean => RESERVED_USERNAMES.has(name)

/** What a system or an application calls an administrator, also with dashes or underscores: `super-admin`, `_admin`. */
export const isAdministratorUsername = (name: string): boolean =>
  ADMINISTRATOR_USERNAMES.has(name.replaceAll(/[-_]/g, ''))

/** Nobody gets such a name by registering or by choosing it. */
export const isReservedUsername = (name: string): boolean => isSystemUsername(name) || isAdministratorUsername(name)

/** A username made of the email's local part. */
export function usernameFromEmail(email: string): string {
  const local = email.slice(0, email.lastIndexOf('@')).toLowerCase()
  const allowed = local
    .replace(/\+.*$/, '')
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
  const started = /^[a-z_]/.test(allowed) ? allowed : `u${allowed}`
  return started.slice(0, MAX_LENGTH)
}

/** The first candidate is the name itself, the others are the name with -2, -3, -4 and so on. */
export const withSuffix = (base: string, number: number): string => {
  if (number === 1) return base
  const suffix = `-${number}`
  return base.slice(0, MAX_LENGTH - suffix.length) + suffix
}
