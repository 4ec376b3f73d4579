import { hash, timingSafeEqual } from 'node:crypto'
import type { Random } from './random.ts'

/** What is stored in place of a token, a code or a secret. 43 base64url characters. */
export const digest = (secret: string): string => hash('sha256', secret, 'base64url')

/** Compares two digests in constant time. Their length is no secret. */
export const sameDigest = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1'))

/**
 * Compares two strings in constant time. Hashing both first makes the lengths equal, so not even the length of the secret
 * shows.
 */
export const equalInConstantTime = (a: string, b: string): boolean =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))

/** 256 bits: guessing one is out of reach, so its plain SHA-256 is safe to store and can be a primary key. */
const TOKEN_BYTES = 32

/** How secrets, codes and tokens begin. */
export const TOKEN_PREFIXES = [
  'ac_',
  'dc_',
  'at_',
  'rt_',
  'pr_',
  'su_',
  'ev_',
  'ec_',
  'er_',
  'nm_',
  'cs_',
  'ap_',
] as const
export type TokenPrefix = (typeof TOKEN_PREFIXES)[number] | ''

export interface IssuedToken {
  /** Given to its holder once and kept nowhere. */
  plaintext: string
  hash: string
}

export function issueToken(random: Random, prefix: TokenPrefix): IssuedToken {
  const plaintext = prefix + random.text(TOKEN_BYTES)
  return { plaintext, hash: digest(plaintext) }
}
