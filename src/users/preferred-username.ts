import { RESERVED_USERNAMES } from './reserved-usernames.ts'

/** What a UNIX account may be called; it is also a principal of SSH certificates. */
export const USERNAME_PATTERN = '^[a-z_][a-z0-9_-]{0,31}$'
const LONGEST = 32

export const isReservedUsername = (name: string): boolean => RESERVED_USERNAMES.has(name)

/** The email's local part, made to fit. */
export function usernameFromEmail(email: string): string {
  const local = email.slice(0, email.lastIndexOf('@')).toLowerCase()
  const fitting = local
    .replace(/\+.*$/, '')
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
  const started = /^[a-z_]/.test(fitting) ? fitting : `u${fitting}`
  return started.slice(0, LONGEST)
}

/** The name itself, then the name with 2, 3, 4, …: the first one that is free is taken. */
export const withSuffix = (base: string, number: number): string => {
  if (number === 1) return base
  const suffix = `-${number}`
  return base.slice(0, LONGEST - suffix.length) + suffix
}
