import { hash } from 'node:crypto'
import { COSE_ALGORITHM, createAuthenticatorKey, type Algorithm, type AuthenticatorKey } from './authenticator-key.ts'
import { encodeCbor, type CborValue } from './cbor.ts'

/** What the browser and its authenticator are like when they tell the truth. */
export type Nature = {
  /** Where the browser is. */
  origin: string
  /** The algorithm the authenticator prefers; else the first that is offered. */
  algorithm?: Algorithm
  aaguid?: string
  transports?: string[]
  /** The counter before its first signature. Authenticators that do not count report 0 for ever. */
  counter?: number
  counts?: boolean
  userVerified?: boolean
  backup?: { eligible: boolean; state: boolean }
}

export type Flag = (typeof FLAGS)[number][0]

/** Every field an answer has, to be replaced by another. What is signed is signed with the lie in it. */
export type Lies = {
  // Client data.
  type?: string
  challenge?: string
  origin?: string
  crossOrigin?: boolean
  topOrigin?: string
  /** Instead of the client data, these bytes. */
  clientDataJSON?: Uint8Array | string
  // Authenticator data.
  rpId?: string
  /** Only the bits: what they announce is there or not as it was. */
  flags?: Partial<Record<Flag, boolean>>
  counter?: number
  aaguid?: string
  /** Whether the new credential is in the authenticator data, as it is in a registration and never else. */
  attested?: boolean
  /** Its id there, and the length field before it. */
  attestedId?: Uint8Array
  attestedIdLength?: number
  /** The algorithm of the new key, offered or not. */
  algorithm?: Algorithm
  /** Parameters of the COSE key by label; `undefined` leaves one out. */
  coseKey?: Record<number, CborValue | undefined>
  /** Instead of the COSE key, this. */
  publicKey?: CborValue
  /** Extension outputs, announced by the flag ED. */
  extensions?: CborValue
  trailing?: Uint8Array
  /** Instead of the authenticator data, these bytes. */
  authenticatorData?: Uint8Array
  // Attestation. With the format `packed` and no statement of its own it is an honest self attestation.
  format?: string
  statement?: CborValue
  /** Instead of the attestation object, or after it, these bytes. */
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
  /** Registers again although the options exclude a credential it has. */
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

export function clientDataOf(type: string, challenge: string, { origin }: Nature, lies: Lies): Buffer {
  if (lies.clientDataJSON !== undefined) return Buffer.from(lies.clientDataJSON)
  return Buffer.from(
    JSON.stringify({
      type: lies.type ?? type,
      challenge: lies.challenge ?? challenge,
      origin: lies.origin ?? origin,
      crossOrigin: lies.crossOrigin ?? false,
      topOrigin: lies.topOrigin,
    }),
  )
}

export function authenticatorDataOf(credential: Credential, nature: Nature, lies: Lies): Buffer {
  if (lies.authenticatorData) return Buffer.from(lies.authenticatorData)
  const flags: Record<Flag, boolean> = {
    UP: true,
    UV: nature.userVerified ?? true,
    BE: nature.backup?.eligible ?? false,
    BS: nature.backup?.state ?? false,
    AT: lies.attested ?? false,
    ED: lies.extensions !== undefined,
    ...lies.flags,
  }
  const fixed = Buffer.alloc(5)
  fixed[0] = FLAGS.reduce((byte, [name, bit]) => byte | (flags[name] ? bit : 0), 0)
  fixed.writeUInt32BE(lies.counter ?? credential.counter, 1)
  return Buffer.concat([
    hash('sha256', lies.rpId ?? credential.rpId, 'buffer'),
    fixed,
    lies.attested ? attestedCredentialOf(credential, nature, lies) : Buffer.alloc(0),
    lies.extensions === undefined ? Buffer.alloc(0) : encodeCbor(lies.extensions),
    lies.trailing ?? Buffer.alloc(0),
  ])
}

function attestedCredentialOf({ id, key }: Credential, nature: Nature, lies: Lies): Buffer {
  const aaguid = lies.aaguid ?? nature.aaguid ?? '00000000-0000-0000-0000-000000000000'
  const attestedId = lies.attestedId ?? id
  const length = Buffer.alloc(2)
  length.writeUInt16BE(lies.attestedIdLength ?? attestedId.length)
  const cose = new Map(key.cose)
  for (const [label, value] of Object.entries(lies.coseKey ?? {})) {
    if (value === undefined) cose.delete(Number(label))
    else cose.set(Number(label), value)
  }
  const publicKey = encodeCbor(lies.publicKey ?? cose)
  return Buffer.concat([Buffer.from(aaguid.replaceAll('-', ''), 'hex'), length, attestedId, publicKey])
}

export function attestationOf(credential: Credential, authData: Buffer, clientData: Buffer, lies: Lies): CborValue {
  const self = (): CborValue =>
    new Map<string, CborValue>([
      ['alg', COSE_ALGORITHM[credential.algorithm]],
      ['sig', signatureOf(credential, authData, clientData, lies)],
    ])
  const honest = lies.format === 'packed' ? self() : new Map<string, CborValue>()
  return new Map<string, CborValue>([
    ['fmt', lies.format ?? 'none'],
    ['attStmt', lies.statement === undefined ? honest : lies.statement],
    ['authData', authData],
  ])
}

export function signatureOf(
  { key, algorithm }: Credential,
  authData: Buffer,
  clientData: Buffer,
  { signature }: Lies,
): Buffer {
  if (signature instanceof Uint8Array) return Buffer.from(signature)
  const signer = signature === 'of-another-key' ? createAuthenticatorKey(algorithm) : key
  const signed = signer.sign(Buffer.concat([authData, hash('sha256', clientData, 'buffer')]))
  const last = signed.length - 1
  if (signature === 'corrupt') signed[last] = (signed[last] ?? 0) ^ 1
  return signed
}
