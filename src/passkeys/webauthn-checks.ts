import { hash } from 'node:crypto'
import {
  decodeClientDataJSON,
  parseAuthenticatorData,
  type ParsedAuthenticatorData,
} from '@simplewebauthn/server/helpers'
import { countCborItems } from './cbor-shape.ts'
import { orRefuse, Refused, refuseUnless } from './webauthn-refusal.ts'

/** What the ceremony was started with, and so what its response must be about. */
export type Expectation = {
  /** The challenge as the options carried it, base64url. */
  challenge: string
  /** The origin of the dashboard, scheme, host and port, without a path. */
  origin: string
  rpId: string
}

/** WebAuthn Level 3 §7.1: a registration with a longer credential id fails. */
export const MAX_CREDENTIAL_ID_BYTES = 1023

const BASE64URL = /^[A-Za-z0-9_-]+$/

/** Whether a credential may leave its device is told by its flag BE, WebAuthn Level 3 §6.1.3. */
export type DeviceType = 'singleDevice' | 'multiDevice'

export const deviceTypeOf = ({ be }: ParsedAuthenticatorData['flags']): DeviceType =>
  be ? 'multiDevice' : 'singleDevice'

/**
 * Takes a binary member out of the response as the base64url it is. The length is looked at before anything else, and
 * the alphabet is held to, so that no two decoders can read different bytes from it.
 */
export function binaryMember(of: Record<string, unknown>, name: string, maxBytes: number): string {
  const value = of[name]
  refuseUnless(typeof value === 'string', 'malformed', `The response has no ${name}.`)
  refuseUnless(value.length <= Math.ceil((maxBytes * 4) / 3), 'too_large', `${name} is over ${maxBytes} bytes.`)
  refuseUnless(BASE64URL.test(value) && value.length % 4 !== 1, 'malformed', `${name} is not base64url.`)
  return value
}

export const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(base64url, 'base64url'))

/** The members both ceremonies share: the credential with its id, said twice, and the authenticator's own response. */
export function readCredential(credential: unknown): { id: string; response: Record<string, unknown> } {
  refuseUnless(isRecord(credential) && isRecord(credential['response']), 'malformed', 'The response is no credential.')
  refuseUnless(credential['type'] === 'public-key', 'malformed', 'The credential is not of type public-key.')
  const id = binaryMember(credential, 'id', MAX_CREDENTIAL_ID_BYTES)
  refuseUnless(id === credential['rawId'], 'credential_id', 'id and rawId differ.')
  return { id, response: credential['response'] }
}

/** WebAuthn Level 3 §7.1 and §7.2, the client data. The dashboard is never framed, so nothing cross-origin is ours. */
export function checkClientData(type: string, expected: Expectation, clientDataJSON: string): void {
  const clientData: unknown = orRefuse('malformed', () => decodeClientDataJSON(clientDataJSON))
  refuseUnless(isRecord(clientData), 'malformed', 'The client data is no object.')
  refuseUnless(clientData['type'] === type, 'type', `The client data is not of type ${type}.`)
  refuseUnless(clientData['challenge'] === expected.challenge, 'challenge', 'The challenge is another one.')
  refuseUnless(clientData['origin'] === expected.origin, 'origin', 'The origin is not the one of the dashboard.')
  const crossOrigin = clientData['crossOrigin']
  refuseUnless(crossOrigin === undefined || crossOrigin === false, 'cross_origin', 'The ceremony ran in a frame.')
  refuseUnless(clientData['topOrigin'] === undefined, 'cross_origin', 'The client data has a top origin.')
}

/** WebAuthn Level 3 §7.1 and §7.2, the authenticator data. User verification is preferred, not demanded. */
export function checkAuthenticatorData(expected: Expectation, bytes: Uint8Array<ArrayBuffer>): ParsedAuthenticatorData {
  const data = parseWhole(bytes)
  const rpIdHash = hash('sha256', expected.rpId, 'buffer')
  refuseUnless(rpIdHash.equals(data.rpIdHash), 'rp_id', 'The RP id hash is not the one of our RP id.')
  refuseUnless(data.flags.up, 'user_presence', 'Nobody was present.')
  refuseUnless(data.flags.be || !data.flags.bs, 'backup_flags', 'A credential that cannot be backed up says it is.')
  return data
}

/** Holds the authenticator data to its layout to the last byte: what the flags announce is there, and nothing else. */
function parseWhole(bytes: Uint8Array<ArrayBuffer>): ParsedAuthenticatorData {
  const flags = bytes[32] ?? 0
  const announced = (flags & 0x40 ? 1 : 0) + (flags & 0x80 ? 1 : 0)
  const found = countCborItems(bytes.subarray(startOfCbor(bytes)))
  refuseUnless(found === announced, 'authenticator_data', 'The authenticator data is not what its flags announce.')
  return orRefuse('authenticator_data', () => parseAuthenticatorData(bytes))
}

/** The CBOR begins after the fixed fields, and after AAGUID and credential id where the flag AT announces them. */
function startOfCbor(bytes: Uint8Array): number {
  const attested = ((bytes[32] ?? 0) & 0x40) !== 0
  if (bytes.length < (attested ? 55 : 37))
    throw new Refused('authenticator_data', 'The authenticator data is cut short.')
  if (!attested) return 37
  const idLength = (bytes[53] ?? 0) * 256 + (bytes[54] ?? 0)
  refuseUnless(
    idLength > 0 && idLength <= MAX_CREDENTIAL_ID_BYTES && 55 + idLength <= bytes.length,
    'authenticator_data',
    `A credential id of ${idLength} bytes is none.`,
  )
  return 55 + idLength
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
