import { verifyAuthenticationResponse } from '@simplewebauthn/server'
import { hasSignatureFormat } from './credential-key.ts'
import {
  binaryMember,
  bytesOf,
  checkClientData,
  MAX_CLIENT_DATA_BYTES,
  readAuthenticatorData,
  readCredential,
  type DeviceType,
  type Expectation,
} from './webauthn-checks.ts'
import { requireThat, verdictOf, type Verdict, verifyByLibrary } from './webauthn-errors.ts'

/** The passkey that the response names, as it was registered. */
export type RegisteredCredential = {
  credentialId: string
  publicKey: Uint8Array
  deviceType: DeviceType
  /** What the options of its registration carried as `user.id`, base64url. */
  userHandle: string
}

export type AssertionFacts = {
  credentialId: string
  /** As the authenticator reports it, not compared yet: see `verifyAssertion`. */
  counter: number
  backedUp: boolean
  userVerified: boolean
}

const MAX_AUTHENTICATOR_DATA_BYTES = 8_192
const MAX_SIGNATURE_BYTES = 1_024
const MAX_USER_HANDLE_BYTES = 64

/**
 * Verifies a login by the rules of WebAuthn Level 3 §7.2, except the signature counter, which the caller compares and sets
 * in one statement. Sizes and shapes are checked first, then the library verifies the response. What is checked here
 * besides is what the library accepts too easily: docs/decisions/0018-passkey-verification.md.
 */
export const verifyAssertion = (
  expected: Expectation & { credential: RegisteredCredential; isNamed?: boolean },
  answer: unknown,
): Promise<Verdict<AssertionFacts>> =>
  verdictOf(async () => {
    const { credential, isNamed = false } = expected
    const { id, response } = readCredential(answer)
    requireThat(id === credential.credentialId, 'credential_id', 'The response is of another credential.')
    const clientDataJSON = binaryMember(response, 'clientDataJSON', MAX_CLIENT_DATA_BYTES)
    const authenticatorData = binaryMember(response, 'authenticatorData', MAX_AUTHENTICATOR_DATA_BYTES)
    const signature = binaryMember(response, 'signature', MAX_SIGNATURE_BYTES)
    checkUserHandle(credential.userHandle, response, isNamed)
    checkClientData(clientDataJSON)
    // The library does not check this flag.
    const { flags } = readAuthenticatorData(bytesOf(authenticatorData))
    requireThat(!flags.at, 'authenticator_data', 'Only a registration holds a credential.')
    // The library accepts wrong lengths and trailing bytes in a signature of ES256.
    requireThat(
      hasSignatureFormat(credential.publicKey, bytesOf(signature)),
      'signature',
      'The signature is malformed.',
    )
    const { verified, authenticationInfo: info } = await verifyByLibrary('signature', () =>
      verifyAuthenticationResponse({
        response: {
          id,
          rawId: id,
          type: 'public-key',
          response: { clientDataJSON, authenticatorData, signature },
          clientExtensionResults: {},
        },
        expectedChallenge: expected.challenge,
        expectedOrigin: expected.origin,
        expectedRPID: expected.rpId,
        requireUserVerification: false,
        // With a stored counter of 0 the library accepts every counter: the caller compares it.
        credential: { id, publicKey: new Uint8Array(credential.publicKey), counter: 0 },
      }),
    )
    requireThat(verified, 'signature', 'The signature is wrong.')
    // §7.2: whether a credential can be backed up never changes. The library does not know how it was registered.
    requireThat(info.credentialDeviceType === credential.deviceType, 'backup_flags', 'Backup eligibility has changed.')
    return {
      credentialId: id,
      counter: info.newCounter,
      backedUp: info.credentialBackedUp,
      userVerified: info.userVerified,
    }
  })

/**
 * §7.2, identifying the user. A login names no user beforehand, so the response must carry the user handle; our credentials
 * are discoverable and hold it. Where the options named the credentials of a user, an authenticator may leave it out. The
 * library does not compare it.
 */
function checkUserHandle(owner: string, response: Record<string, unknown>, isNamed: boolean): void {
  const given = response['userHandle']
  const isGiven = given !== undefined && given !== null && given !== ''
  if (isNamed && !isGiven) return
  requireThat(isGiven, 'user_handle', 'The response does not say whose credential it is.')
  const handle = binaryMember(response, 'userHandle', MAX_USER_HANDLE_BYTES)
  requireThat(handle === owner, 'user_handle', 'The user handle is not of the user the credential belongs to.')
}
