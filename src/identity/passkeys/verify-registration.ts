import { verifyRegistrationResponse } from '@simplewebauthn/server'
import { decodeAttestationObject } from '@simplewebauthn/server/helpers'
import { countCborItems, checkCredentialKey, hasSignatureFormat, OFFERED_ALGORITHMS } from './credential-key.ts'
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
import { orFail, requireThat, verdictOf, type Verdict, verifyByLibrary } from './webauthn-errors.ts'

export type RegistrationFacts = {
  credentialId: string
  publicKey: Uint8Array
  algorithm: number
  counter: number
  transports: string[]
  deviceType: DeviceType
  backedUp: boolean
  aaguid: string
  userVerified: boolean
}

// A credential id of full length and an RSA key of 4096 bits take 1.7 KB; the rest is for extensions.
const MAX_ATTESTATION_BYTES = 16_384

/**
 * Verifies a registration by the rules of WebAuthn Level 3 §7.1. Sizes and shapes are checked first, then the library
 * verifies the response. What is checked here besides is what the library accepts too easily:
 * docs/decisions/0018-passkey-verification.md. The caller finds out whether the credential id is taken when it stores it.
 */
export const verifyRegistration = (
  expected: Expectation & { isConditional?: boolean },
  answer: unknown,
): Promise<Verdict<RegistrationFacts>> =>
  verdictOf(async () => {
    const { id, response } = readCredential(answer)
    const clientDataJSON = binaryMember(response, 'clientDataJSON', MAX_CLIENT_DATA_BYTES)
    const attestationObject = binaryMember(response, 'attestationObject', MAX_ATTESTATION_BYTES)
    checkClientData(clientDataJSON)
    const { format, statement, authData } = readAttestation(bytesOf(attestationObject))
    const { credentialPublicKey } = readAuthenticatorData(authData)
    requireThat(credentialPublicKey !== undefined, 'authenticator_data', 'The authenticator data holds no credential.')
    const { algorithm } = checkCredentialKey(credentialPublicKey)
    checkStatement(format, statement, { algorithm, cose: credentialPublicKey })

    const { verified, registrationInfo: info } = await verifyByLibrary('attestation', () =>
      verifyRegistrationResponse({
        response: {
          id,
          rawId: id,
          type: 'public-key',
          response: { clientDataJSON, attestationObject },
          clientExtensionResults: {},
        },
        expectedChallenge: expected.challenge,
        expectedOrigin: expected.origin,
        expectedRPID: expected.rpId,
        // WebAuthn Level 3 §5.1.3: a browser that makes a passkey by itself asks nobody, and sets neither flag.
        requireUserPresence: expected.isConditional !== true,
        requireUserVerification: false,
        supportedAlgorithmIDs: OFFERED_ALGORITHMS,
      }),
    )
    requireThat(verified && info !== undefined, 'attestation', 'The signature of the attestation is wrong.')
    const { credential } = info
    // The library does not compare the id of the response with the one that the authenticator made.
    requireThat(credential.id === id, 'credential_id', 'The authenticator made another credential.')
    return {
      credentialId: credential.id,
      publicKey: credential.publicKey,
      algorithm,
      counter: credential.counter,
      transports: readTransports(response['transports']),
      deviceType: info.credentialDeviceType,
      backedUp: info.credentialBackedUp,
      aaguid: info.aaguid,
      userVerified: info.userVerified,
    }
  })

function readAttestation(bytes: Uint8Array<ArrayBuffer>) {
  requireThat(countCborItems(bytes) === 1, 'malformed', 'The attestation object is not one item of CBOR.')
  const decoded: unknown = orFail('malformed', () => decodeAttestationObject(bytes))
  requireThat(decoded instanceof Map, 'malformed', 'The attestation object is no map.')
  const authData: unknown = decoded.get('authData')
  requireThat(authData instanceof Uint8Array, 'malformed', 'The attestation object has no authenticator data.')
  const format: unknown = decoded.get('fmt')
  const statement: unknown = decoded.get('attStmt')
  return { format, statement, authData: new Uint8Array(authData) }
}

/**
 * We ask for no attestation, so a client sends either none or the self attestation of `packed` (WebAuthn Level 3 §5.1.3);
 * only these two are supported. Certificates without known roots would prove nothing, and the library would parse any X.509
 * that is sent and, for some formats, fetch revocation lists.
 */
function checkStatement(format: unknown, statement: unknown, key: { algorithm: number; cose: Uint8Array }): void {
  requireThat(statement instanceof Map, 'attestation', 'The attestation statement is no map.')
  if (format === 'none') {
    // §8.7. The library checks `size > 0` on a value of any type, which a list or a number passes.
    requireThat(statement.size === 0, 'attestation', 'The format none has a statement.')
    return
  }
  requireThat(format === 'packed', 'attestation', `The attestation format ${String(format)} is not supported.`)
  const signature: unknown = statement.get('sig')
  const isSelf = statement.size === 2 && statement.has('alg') && signature instanceof Uint8Array
  requireThat(isSelf, 'attestation', 'Only self attestation is supported.')
  // §8.2, self attestation: the library only takes the hash from this algorithm.
  requireThat(statement.get('alg') === key.algorithm, 'attestation', 'The statement is of another algorithm.')
  requireThat(hasSignatureFormat(key.cose, signature), 'attestation', 'The signature of the attestation is malformed.')
}

/**
 * Transports are unsigned hints of the browser, and unknown ones must be kept (WebAuthn Level 3 §5.8.4): what looks like a
 * name is kept, and the rest is dropped.
 */
function readTransports(transports: unknown): string[] {
  if (!Array.isArray(transports)) return []
  const names = transports.filter((name): name is string => typeof name === 'string' && /^[a-z0-9-]{1,32}$/.test(name))
  return [...new Set(names)].slice(0, 16)
}
