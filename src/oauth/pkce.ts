import { digest, sameDigest } from '../platform/crypto/digest.ts'

/** RFC 7636 section 4.2. A SHA-256 in base64url has 43 characters. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

/** What is wrong with a challenge that was sent; S256 only. */
export function problemOfChallenge(challenge: string, method: string | undefined): string | undefined {
  if (method !== 'S256') return 'The code_challenge_method must be S256.'
  return CHALLENGE.test(challenge) ? undefined : 'The code_challenge is not a SHA-256 in base64url.'
}

/** Whether a verifier has the form of RFC 7636 section 4.1. */
export const isVerifier = (verifier: string): boolean => VERIFIER.test(verifier)

/** RFC 7636 section 4.6. A malformed verifier is a mismatch, not a different error. */
export const verifierMatches = (verifier: string, challenge: string): boolean =>
  VERIFIER.test(verifier) && sameDigest(digest(verifier), challenge)
