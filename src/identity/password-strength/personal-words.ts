/** What is known about the person whose password it is, as far as it is known. */
export interface PersonalDetails {
  email?: string | undefined
  displayName?: string | null | undefined
  given_name?: string | null | undefined
  family_name?: string | null | undefined
  preferredUsername?: string | null | undefined
}

/** Shorter words are in too many good passwords. */
const MIN_LENGTH = 3

/** Names can be long, and every assessment searches for all of their words. */
const MAX_WORDS = 50

/** What an attacker tries first against this account: its email, names and username, and the name of this service. */
export function personalWords(person: PersonalDetails, host: string): string[] {
  const [local = '', domain = ''] = (person.email ?? '').split('@')
  const names = [person.displayName, person.given_name, person.family_name, person.preferredUsername]
  const whole = [person.email, local, ...names, joined(local), ...names.map(joined), 'latchkey', host]
  const words = [local, domain, ...names, host].flatMap((text) => (text ?? '').split(/[^\p{L}\p{N}]+/u))
  const all = [...whole, ...words].map((word) => (word ?? '').toLowerCase())
  return [...new Set(all)].filter((word) => word.length >= MIN_LENGTH).slice(0, MAX_WORDS)
}

/** `Ada Lovelace` as `adalovelace`. */
const joined = (text: string | null | undefined): string => (text ?? '').replace(/[^\p{L}\p{N}]+/gu, '')
