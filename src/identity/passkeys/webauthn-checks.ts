import {
  decodeClientDataJSON,
  parseAuthenticatorData,
  type ParsedAuthenticatorData,
} from '@simplewebauthn/server/helpers'
import { isJsonObject } from '../../platform/http/request-body.ts'
import type { Schema } from '../../storage/schema.ts'
import { countCborItems } from './credential-key.ts'
import { orFail, VerificationError, requireThat } from './webauthn-errors.ts'

/** What the response of a ceremony must match. */
export type Expectation = {
  /** The challenge as the options carried it, base64url. */
  challenge: string
  /** The origin of the dashboard, scheme, host and port, without a path. */
  origin: string
  rpId: string
}

/** WebAuthn Level 3 §7.1: a registration with a longer credential id fails. */
const MAX_CREDENTIAL_ID_BYTES = 1023

export const MAX_CLIENT_DATA_BYTES = 8_192
const BASE64URL = /^[A-Za-z0-9_-]+$/

/** Whether a credential can be backed up, by its flag BE (WebAuthn Level 3 §6.1.3). */
export type DeviceType = Schema['passkeys']['device_type']

/**
 * Reads a binary member of the response, as base64url. Its length is checked first. Its alphabet is checked too, so that
 * no two decoders can read different bytes from it.
 */
export function binaryMember(of: Record<string, unknown>, name: string, maxBytes: number): string {
  const value = of[name]
  requireThat(typeof value === 'string', 'malformed', `The response has no ${name}.`)
  requireThat(value.length <= Math.ceil((maxBytes * 4) / 3), 'too_large', `${name} is over ${maxBytes} bytes.`)
  requireThat(BASE64URL.test(value) && value.length % 4 !== 1, 'malformed', `${name} is not base64url.`)
  return value
}

export const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(base64url, 'base64url'))

/** The challenge that a response of a browser says it answers. Nothing of it is verified; undefined where it can't be read. */
export function readChallenge(answer: unknown): string | undefined {
  try {
    const { response } = readCredential(answer)
    const { challenge } = decodeClientDataJSON(binaryMember(response, 'clientDataJSON', MAX_CLIENT_DATA_BYTES))
    return typeof challenge === 'string' ? challenge : undefined
  } catch {
    return undefined
  }
}

/** Reads the members that both ceremonies share. */
export function readCredential(credential: unknown): { id: string; response: Record<string, unknown> } {
  requireThat(
    isJsonObject(credential) && isJsonObject(credential['response']),
    'malformed',
    'The response is no credential.',
  )
  requireThat(credential['type'] === 'public-key', 'malformed', 'The credential is not of type public-key.')
  const id = binaryMember(credential, 'id', MAX_CREDENTIAL_ID_BYTES)
  requireThat(id === credential['rawId'], 'credential_id', 'id and rawId differ.')
  return { id, response: credential['response'] }
}

/**
 * Reads the client data and refuses ceremonies in frames: the dashboard is never framed. The library ignores `crossOrigin`
 * and `topOrigin` at a registration, and accepts a login with `crossOrigin` if there is no `topOrigin`.
 */
export function checkClientData(clientDataJSON: string): void {
  const clientData: unknown = orFail('malformed', () => decodeClientDataJSON(clientDataJSON))
  requireThat(isJsonObject(clientData), 'malformed', 'The client data is no object.')
  const crossOrigin = clientData['crossOrigin']
  requireThat(crossOrigin === undefined || crossOrigin === false, 'cross_origin', 'The ceremony ran in a frame.')
  requireThat(clientData['topOrigin'] === undefined, 'cross_origin', 'The client data has a top origin.')
}

/**
 * Parses the authenticator data, which must hold exactly what its flags announce. The library itself accepts a string of
 * CBOR that is cut short, and has no limit for nesting.
 */
export function readAuthenticatorData(bytes: Uint8Array<ArrayBuffer>): ParsedAuthenticatorData {
  const flags = bytes[32] ?? 0
  const announced = (flags & 0x40 ? 1 : 0) + (flags & 0x80 ? 1 : 0)
  const found = countCborItems(bytes.subarray(startOfCbor(bytes)))
  requireThat(found === announced, 'authenticator_data', 'The authenticator data is not what its flags announce.')
  return orFail('authenticator_data', () => parseAuthenticatorData(bytes))
}

/** The CBOR begins after the fixed fields, and after AAGUID and credential id where the flag AT announces them. */
function startOfCbor(bytes: Uint8Array): number {
  const attested = ((bytes[32] ?? 0) & 0x40) !== 0
  if (bytes.length < (attested ? 55 : 37))
    throw new VerificationError('authenticator_data', 'The authenticator data is cut short.')
  if (!attested) return 37
  const idLength = (bytes[53] ?? 0) * 256 + (bytes[54] ?? 0)
  requireThat(
    idLength > 0 && idLength <= MAX_CREDENTIAL_ID_BYTES && 55 + idLength <= bytes.length,
    'authenticator_data',
    `A credential id can't have ${idLength} bytes.`,
  )
  return 55 + idLength
}
