import { verifyAuthenticationResponse } from '@simplewebauthn/server'
import { hasSignatureFormat } from './credential-key.ts'
import {
  binaryMember,
  bytesOf,
  checkAuthenticatorData,
  checkClientData,
  deviceTypeOf,
  readCredential,
  type DeviceType,
  type Expectation,
} from './webauthn-checks.ts'
import { orRefuseAsync, refuseUnless, verdictOf, type Verdict } from './webauthn-refusal.ts'

/** The passkey the response names, as it was registered. */
export type RegisteredCredential = {
  credentialId: string
  publicKey: Uint8Array
  deviceType: DeviceType
  /** What the options of its registration carried as `user.id`, base64url. */
  userHandle: string
}

export type AssertionFacts = {
  credentialId: string
  /** As the authenticator reports it. It is not compared yet: see `verifyAssertion`. */
  counter: number
  backedUp: boolean
  userVerified: boolean
}

const MAX_CLIENT_DATA_BYTES = 8_192
const MAX_AUTHENTICATOR_DATA_BYTES = 8_192
const MAX_SIGNATURE_BYTES = 1_024
const MAX_USER_HANDLE_BYTES = 64

/**
 * Verifies a login by the rules of WebAuthn Level 3 §7.2, all but the signature counter. A disabled account
 * is told so before its counter is looked at, and the counter is compared and set in one statement, so both are for
 * the caller, who gets the new counter among the facts.
 */
export const verifyAssertion = (
  expected: Expectation & { credential: RegisteredCredential },
  answer: unknown,
): Promise<Verdict<AssertionFacts>> =>
  verdictOf(async () => {
    const { credential } = expected
    const { id, response } = readCredential(answer)
    refuseUnless(id === credential.credentialId, 'credential_id', 'The response is of another credential.')
    const clientDataJSON = binaryMember(response, 'clientDataJSON', MAX_CLIENT_DATA_BYTES)
    const authenticatorData = binaryMember(response, 'authenticatorData', MAX_AUTHENTICATOR_DATA_BYTES)
    const signature = binaryMember(response, 'signature', MAX_SIGNATURE_BYTES)
    checkUserHandle(credential.userHandle, response)
    checkClientData('webauthn.get', expected, clientDataJSON)

    const { counter, flags } = checkAuthenticatorData(expected, bytesOf(authenticatorData))
    refuseUnless(!flags.at, 'authenticator_data', 'Only a registration holds a credential.')
    // §7.2, credential backup state: whether a credential can be backed up is settled when it is made.
    refuseUnless(deviceTypeOf(flags) === credential.deviceType, 'backup_flags', 'Backup eligibility has changed.')

    refuseUnless(
      hasSignatureFormat(credential.publicKey, bytesOf(signature)),
      'signature',
      'The signature has no form.',
    )
    const judged = await orRefuseAsync('signature', () =>
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
        // To the library a stored counter of 0 is one that any reported counter may follow, 0 included.
        credential: { id, publicKey: new Uint8Array(credential.publicKey), counter: 0 },
      }),
    )
    refuseUnless(judged.verified, 'signature', 'The signature does not fit.')
    return { credentialId: id, counter, backedUp: flags.bs, userVerified: flags.uv }
  })

/**
 * §7.2, identifying the user. Nobody says who they are before a login, so the authenticator has to: it keeps the handle of
 * a discoverable credential, and all of ours are discoverable.
 */
function checkUserHandle(owner: string, response: Record<string, unknown>): void {
  const given = response['userHandle']
  const isThere = given !== undefined && given !== null && given !== ''
  refuseUnless(isThere, 'user_handle', 'The response does not say whose credential it is.')
  const handle = binaryMember(response, 'userHandle', MAX_USER_HANDLE_BYTES)
  refuseUnless(handle === owner, 'user_handle', 'The user handle is not of the user the credential belongs to.')
}
