import type { AppError } from '../../errors.ts'
import type { Config } from '../../platform/config/config.ts'
import { digest, sameDigest } from '../../platform/crypto/digest.ts'
import { DiagnosedError, type Diagnosis } from '../problems/diagnosed-error.ts'
import { protocolErrors } from './protocol-errors.ts'

/** RFC 7636 section 4.2. A SHA-256 in base64url has 43 characters. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

/** What is wrong with a challenge that was sent; S256 only. */
export function problemOfChallenge(challenge: string, method: string | undefined): AppError | undefined {
  if (method !== 'S256') return protocolErrors.code_challenge_method_unknown()
  return CHALLENGE.test(challenge) ? undefined : protocolErrors.code_challenge_malformed()
}

/** Whether a verifier has the form of RFC 7636 section 4.1. */
const isVerifier = (verifier: string): boolean => VERIFIER.test(verifier)

/** RFC 7636 section 4.6. A malformed verifier is a mismatch, not a different error. */
export const verifierMatches = (verifier: string, challenge: string): boolean =>
  VERIFIER.test(verifier) && sameDigest(digest(verifier), challenge)

export const MISSING_VERIFIER: Diagnosis = {
  hint: 'The application sent a code_challenge when it asked for the code; let it send the code_verifier of it here.',
  sent: 'no code_verifier',
  expected: 'the code_verifier of the code_challenge',
}

/** Why a code_verifier is refused: it has a wrong form, none was expected, or it is another one. It is never shown itself. */
export function verifierError(verifier: string | undefined, challenge: string | null): DiagnosedError {
  if (verifier === undefined) return new DiagnosedError(protocolErrors.code_verifier_missing(), MISSING_VERIFIER)
  if (challenge === null || challenge === '')
    return new DiagnosedError(protocolErrors.code_verifier_not_expected(), {
      hint: 'Let the application send a code_challenge when it asks for the code, or no code_verifier here.',
      sent: 'a code_verifier',
      expected: 'no code_verifier',
    })
  if (!isVerifier(verifier))
    return new DiagnosedError(protocolErrors.code_verifier_malformed(), {
      hint: 'Let the application make a code_verifier of 43 to 128 characters from A-Z a-z 0-9 - . _ ~ (RFC 7636 section 4.1).',
      sent: /^[A-Za-z0-9._~-]*$/.test(verifier)
        ? `${verifier.length} characters`
        : `${verifier.length} characters, of which some are not allowed`,
      expected: '43 to 128 characters from A-Z a-z 0-9 - . _ ~',
    })
  return new DiagnosedError(protocolErrors.code_verifier_wrong(), {
    hint:
      verifier === challenge
        ? 'The application sends the code_challenge itself; let it send the code_verifier that the challenge was made from.'
        : 'The application sends another code_verifier than the one of this sign-in, or makes the challenge in another way than base64url(SHA-256(verifier)); a second sign-in in the same browser may have overwritten it.',
    sent: verifier === challenge ? 'the code_challenge' : 'another code_verifier',
    expected: 'the code_verifier of the code_challenge',
  })
}

/** Whether a client may get codes without PKCE, by its own setting and that of the service. */
export const mayOmitPkce = (
  { allowMissingPkce }: Pick<Config, 'allowMissingPkce'>,
  { pkce }: { pkce: 'required' | 'optional' },
): boolean => allowMissingPkce && pkce === 'optional'
