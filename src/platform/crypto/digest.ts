import { hash, timingSafeEqual } from 'node:crypto'

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
