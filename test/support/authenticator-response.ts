import { hash } from 'node:crypto'
import { COSE_ALGORITHM, createAuthenticatorKey, type Algorithm, type AuthenticatorKey } from './authenticator-key.ts'
import { encodeCbor, type CborValue } from './cbor.ts'

/** The properties of the browser and its authenticator. */
export type AuthenticatorModel = {
  /** The origin of the page in the browser. */
  origin: string
  /** The algorithm the authenticator prefers; by default the first that is offered. */
  algorithm?: Algorithm
  aaguid?: string
  transports?: string[]
  /** The counter before its first signature. Authenticators without a counter always report 0. */
  counter?: number
  counts?: boolean
  userVerified?: boolean
  backup?: { eligible: boolean; state: boolean }
}

export type Flag = (typeof FLAGS)[number][0]

/** Values that replace those of a correct response. A signature covers the replaced values. */
export type Overrides = {
  // Client data.
  type?: string
  challenge?: string
  origin?: string
  crossOrigin?: boolean
  topOrigin?: string
  /** Replaces the whole client data. */
  clientDataJSON?: Uint8Array | string
  // Authenticator data.
  rpId?: string
  /** Changes only the bits, not the data whose presence they announce. */
  flags?: Partial<Record<Flag, boolean>>
  counter?: number
  aaguid?: string
  /** Whether the authenticator data contains the attested credential. By default only that of a registration does. */
  attested?: boolean
  /** The credential id in the attested credential, and the length that precedes it. */
  attestedId?: Uint8Array
  attestedIdLength?: number
  /** The algorithm of the new key, offered or not. */
  algorithm?: Algorithm
  /** Parameters of the COSE key by label; `undefined` leaves one out. */
  coseKey?: Record<number, CborValue | undefined>
  /** Replaces the COSE key. */
  publicKey?: CborValue
  /** Extension outputs, announced by the flag ED. */
  extensions?: CborValue
  trailing?: Uint8Array
  /** Replaces the whole authenticator data. */
  authenticatorData?: Uint8Array
  // Attestation. The format `packed` without a statement gives a correct self attestation.
  format?: string
  statement?: CborValue
  /** Replaces the attestation object; the second is appended to it. */
  attestationObject?: CborValue
  attestationTrailing?: Uint8Array
  // The signature of an assertion, or of a self attestation.
  signature?: 'corrupt' | 'of-another-key' | Uint8Array
  // The credential.
  credentialId?: Uint8Array
  id?: string
  rawId?: string
  credentialType?: string
  userHandle?: string | null
  transports?: unknown
  /** Registers even if the options exclude a credential of this authenticator. */
  ignoreExclusions?: boolean
}

export type Credential = {
  id: Buffer
  rpId: string
  userHandle: string
  algorithm: Algorithm
  key: AuthenticatorKey
  counter: number
}

/** The bits of the flags byte, WebAuthn Level 3 §6.1. */
const FLAGS = [
  ['UP', 0x01],
  ['UV', 0x04],
  ['BE', 0x08],
  ['BS', 0x10],
  ['AT', 0x40],
  ['ED', 0x80],
] as const

export function clientDataOf(
  type: string,
  challenge: string,
  { origin }: AuthenticatorModel,
  overrides: Overrides,
): Buffer {
  if (overrides.clientDataJSON !== undefined) return Buffer.from(overrides.clientDataJSON)
  return Buffer.from(
    JSON.stringify({
      type: overrides.type ?? type,
      challenge: overrides.challenge ?? challenge,
      origin: overrides.origin ?? origin,
      crossOrigin: overrides.crossOrigin ?? false,
      topOrigin: overrides.topOrigin,
    }),
  )
}

export function authenticatorDataOf(credential: Credential, model: AuthenticatorModel, overrides: Overrides): Buffer {
  if (overrides.authenticatorData) return Buffer.from(overrides.authenticatorData)
  const flags: Record<Flag, boolean> = {
    UP: true,
    UV: model.userVerified ?? true,
    BE: model.backup?.eligible ?? false,
    BS: model.backup?.state ?? false,
    AT: overrides.attested ?? false,
    ED: overrides.extensions !== undefined,
    ...overrides.flags,
  }
  const fixed = Buffer.alloc(5)
  fixed[0] = FLAGS.reduce((byte, [name, bit]) => byte | (flags[name] ? bit : 0), 0)
  fixed.writeUInt32BE(overrides.counter ?? credential.counter, 1)
  return Buffer.concat([
    hash('sha256', overrides.rpId ?? credential.rpId, 'buffer'),
    fixed,
    overrides.attested ? attestedCredentialOf(credential, model, overrides) : Buffer.alloc(0),
    overrides.extensions === undefined ? Buffer.alloc(0) : encodeCbor(overrides.extensions),
    overrides.trailing ?? Buffer.alloc(0),
  ])
}

function attestedCredentialOf({ id, key }: Credential, model: AuthenticatorModel, overrides: Overrides): Buffer {
  const aaguid = overrides.aaguid ?? model.aaguid ?? '00000000-0000-0000-0000-000000000000'
  const attestedId = overrides.attestedId ?? id
  const length = Buffer.alloc(2)
  length.writeUInt16BE(overrides.attestedIdLength ?? attestedId.length)
  const cose = new Map(key.cose)
  for (const [label, value] of Object.entries(overrides.coseKey ?? {})) {
    if (value === undefined) cose.delete(Number(label))
    else cose.set(Number(label), value)
  }
  const publicKey = encodeCbor(overrides.publicKey ?? cose)
  return Buffer.concat([Buffer.from(aaguid.replaceAll('-', ''), 'hex'), length, attestedId, publicKey])
}

export function attestationOf(
  credential: Credential,
  authData: Buffer,
  clientData: Buffer,
  overrides: Overrides,
): CborValue {
  const self = (): CborValue =>
    new Map<string, CborValue>([
      ['alg', COSE_ALGORITHM[credential.algorithm]],
      ['sig', signatureOf(credential, authData, clientData, overrides)],
    ])
  const statement = overrides.format === 'packed' ? self() : new Map<string, CborValue>()
  return new Map<string, CborValue>([
    ['fmt', overrides.format ?? 'none'],
    ['attStmt', overrides.statement === undefined ? statement : overrides.statement],
    ['authData', authData],
  ])
}

export function signatureOf(
  { key, algorithm }: Credential,
  authData: Buffer,
  clientData: Buffer,
  { signature }: Overrides,
): Buffer {
  if (signature instanceof Uint8Array) return Buffer.from(signature)
  const signer = signature === 'of-another-key' ? createAuthenticatorKey(algorithm) : key
  const signed = signer.sign(Buffer.concat([authData, hash('sha256', clientData, 'buffer')]))
  const last = signed.length - 1
  if (signature === 'corrupt') signed[last] = (signed[last] ?? 0) ^ 1
  return signed
}
