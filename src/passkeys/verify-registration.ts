import { verifyRegistrationResponse } from '@simplewebauthn/server'
import { convertAAGUIDToString, decodeAttestationObject } from '@simplewebauthn/server/helpers'
import { countCborItems } from './cbor-shape.ts'
import { checkCredentialKey, hasSignatureFormat, OFFERED_ALGORITHMS } from './credential-key.ts'
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
import { orRefuse, orRefuseAsync, refuseUnless, verdictOf, type Verdict } from './webauthn-refusal.ts'

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

// A credential id of full length and an RSA key of 4096 bits make 1.7 KB; the rest is room for extensions.
const MAX_ATTESTATION_BYTES = 16_384
const MAX_CLIENT_DATA_BYTES = 8_192

/**
 * Registers a credential by the rules of WebAuthn Level 3 §7.1. Each check that has a name of ours is made here; then
 * the library goes through the whole response again and verifies the attestation. Whether the credential id is taken
 * is for the caller to find out, in the statement that stores it.
 */
export const verifyRegistration = (expected: Expectation, answer: unknown): Promise<Verdict<RegistrationFacts>> =>
  verdictOf(async () => {
    const { id, response } = readCredential(answer)
    const clientDataJSON = binaryMember(response, 'clientDataJSON', MAX_CLIENT_DATA_BYTES)
    const attestationObject = binaryMember(response, 'attestationObject', MAX_ATTESTATION_BYTES)
    checkClientData('webauthn.create', expected, clientDataJSON)

    const { format, statement, authData } = readAttestation(bytesOf(attestationObject))
    const { credentialID, credentialPublicKey, aaguid, counter, flags } = checkAuthenticatorData(expected, authData)
    refuseUnless(
      credentialID !== undefined && credentialPublicKey !== undefined && aaguid !== undefined,
      'authenticator_data',
      'The authenticator data holds no credential.',
    )
    const credentialId = Buffer.from(credentialID).toString('base64url')
    refuseUnless(
      credentialId === id,
      'credential_id',
      'The authenticator made another credential than the response says.',
    )
    const { algorithm } = checkCredentialKey(credentialPublicKey)
    checkStatement(format, statement, { algorithm, cose: credentialPublicKey })

    const judged = await orRefuseAsync('attestation', () =>
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
        requireUserVerification: false,
        supportedAlgorithmIDs: OFFERED_ALGORITHMS,
      }),
    )
    refuseUnless(judged.verified, 'attestation', 'The signature of the attestation does not fit.')

    return {
      credentialId,
      publicKey: credentialPublicKey,
      algorithm,
      counter,
      transports: readTransports(response['transports']),
      deviceType: deviceTypeOf(flags),
      backedUp: flags.bs,
      aaguid: convertAAGUIDToString(aaguid),
      userVerified: flags.uv,
    }
  })

function readAttestation(bytes: Uint8Array<ArrayBuffer>) {
  refuseUnless(countCborItems(bytes) === 1, 'malformed', 'The attestation object is not one item of CBOR.')
  const decoded: unknown = orRefuse('malformed', () => decodeAttestationObject(bytes))
  refuseUnless(decoded instanceof Map, 'malformed', 'The attestation object is no map.')
  const authData: unknown = decoded.get('authData')
  refuseUnless(authData instanceof Uint8Array, 'malformed', 'The attestation object has no authenticator data.')
  return {
    format: decoded.get('fmt') as unknown,
    statement: decoded.get('attStmt') as unknown,
    authData: new Uint8Array(authData),
  }
}

/**
 * We ask for no attestation, and then a client hands on either none or the self attestation of `packed` (WebAuthn
 * Level 3 §5.1.3); these two are the formats we support. Certificates we have no roots for would prove nothing, and
 * would have the library parse whatever X.509 it is sent and, for some formats, fetch revocation lists.
 */
function checkStatement(format: unknown, statement: unknown, key: { algorithm: number; cose: Uint8Array }): void {
  refuseUnless(statement instanceof Map, 'attestation', 'The attestation statement is no map.')
  if (format === 'none') {
    // §8.7. The library asks `size > 0` of whatever it finds, which a list or a number passes.
    refuseUnless(statement.size === 0, 'attestation', 'A statement goes with the format none.')
    return
  }
  refuseUnless(format === 'packed', 'attestation', `The attestation format ${String(format)} is not supported.`)
  const signature: unknown = statement.get('sig')
  const isSelf = statement.size === 2 && statement.has('alg') && signature instanceof Uint8Array
  refuseUnless(isSelf, 'attestation', 'Only self attestation is supported.')
  // §8.2, self attestation: the library only takes the hash from this algorithm.
  refuseUnless(statement.get('alg') === key.algorithm, 'attestation', 'The statement is of another algorithm.')
  refuseUnless(hasSignatureFormat(key.cose, signature), 'attestation', 'The signature of the attestation has no form.')
}

/**
 * Transports are hints of the browser, not signed by anyone, and new ones appear (WebAuthn Level 3 §5.8.4 asks to keep
 * those not known): what looks like a name is kept, the rest is not worth a refusal.
 */
function readTransports(transports: unknown): string[] {
  if (!Array.isArray(transports)) return []
  const names = transports.filter((name): name is string => typeof name === 'string' && /^[a-z0-9-]{1,32}$/.test(name))
  return [...new Set(names)].slice(0, 16)
}
