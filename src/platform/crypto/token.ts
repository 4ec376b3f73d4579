import { digest } from './digest.ts'
import type { Random } from './random.ts'

/** 256 bits: guessing one is out of reach, so its plain SHA-256 is safe to store and can be a primary key. */
const TOKEN_BYTES = 32

/** How secrets, codes and tokens begin. */
export const TOKEN_PREFIXES = ['ac_', 'dc_', 'at_', 'rt_', 'pr_', 'ev_', 'ec_', 'er_', 'cs_', 'ap_'] as const
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
