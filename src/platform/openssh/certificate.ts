import { Buffer } from 'node:buffer'
import { sign, type KeyObject } from 'node:crypto'
import { ED25519, formatLine, labelOf, publicKeyBlob } from './public-key.ts'
import { isCleanText, lengthOf, string, uint32, Writer } from './wire.ts'

// OpenSSH's PROTOCOL.certkeys describes the format; constants that only its source knows are marked so.

export const ED25519_CERTIFICATE = 'ssh-ed25519-cert-v01@openssh.com'
export const SK_ED25519_CERTIFICATE = 'sk-ssh-ed25519-cert-v01@openssh.com'
export const USER_CERTIFICATE = 1
export const HOST_CERTIFICATE = 2
export const MAX_PRINCIPALS = 256 // SSHKEY_CERT_MAX_PRINCIPALS in sshkey.h: one more, and OpenSSH can't read it.
const MIN_NONCE_BYTES = 16
const KEY_BYTES = 32

/** Names and values of critical options or extensions. A flag, such as permit-pty, has the value ''. */
export type Options = ReadonlyMap<string, string>

/** What an ordinary login needs: no X11, and no ~/.ssh/rc. */
export const USER_EXTENSIONS: Options = new Map([
  ['permit-agent-forwarding', ''],
  ['permit-port-forwarding', ''],
  ['permit-pty', ''],
])

export interface CertificateRequest {
  /** A user's, unless it says otherwise. */
  readonly type?: typeof USER_CERTIFICATE | typeof HOST_CERTIFICATE
  /** The 32 bytes of the public key. */
  readonly key: Uint8Array
  /** Of a security key. */
  readonly application?: string | undefined
  /** Above zero: for OpenSSH 0 means that there is no serial, and no KRL can revoke it. */
  readonly serial: bigint
  readonly keyId: string
  readonly principals: readonly string[]
  /** Epoch seconds; valid from validAfter up to, and not including, validBefore. */
  readonly validAfter: bigint | number
  readonly validBefore: bigint | number
  readonly criticalOptions?: Options
  readonly extensions?: Options
  /** Fresh random bytes, 32 by OpenSSH's habit. The requester can't predict the signed bytes. */
  readonly nonce: Uint8Array
}

export interface Authority {
  readonly privateKey: KeyObject
  /** The public key's blob, as `formatPublicKey`, `fingerprint` and a KRL take it. */
  readonly blob: Buffer
  /** The last fields before the signature, which are the same in every certificate of this authority. */
  readonly lastFields: Buffer
}

/** Prepares, once, what signing needs of the authority's private key. */
export function openAuthority(privateKey: KeyObject): Authority {
  if (privateKey.type !== 'private') throw new TypeError('An authority needs its private key.')
  const blob = publicKeyBlob(privateKey)
  return { privateKey, blob, lastFields: Buffer.concat([string(''), string(blob)]) }
}

const LABEL = string(ED25519_CERTIFICATE)
const SK_LABEL = string(SK_ED25519_CERTIFICATE)
// The type, the length of all principals, and three numbers of 64 bits.
const FIXED_BYTES = 4 + 4 + 3 * 8
// An Ed25519 signature always has 64 bytes (RFC 8709 §6), so everything before it is known.
const SIGNATURE_BYTES = 64
const BEFORE_SIGNATURE = Buffer.concat([uint32(83), string(ED25519), uint32(SIGNATURE_BYTES)])
const NO_OPTIONS: Options = new Map()
const NO_OPTIONS_FIELD = optionsField(NO_OPTIONS)
const USER_EXTENSIONS_FIELD = optionsField(USER_EXTENSIONS)

/** A certificate with space for the signature. */
export interface Draft {
  readonly blob: Buffer
  /** The bytes that are signed. */
  readonly toSign: Buffer
}

/** All of a certificate but its signature. Throws a RangeError for one that OpenSSH would refuse or read too widely. */
export function prepareCertificate(authority: Authority, request: CertificateRequest): Draft {
  refuseUnsafe(request)
  const { type = USER_CERTIFICATE, application } = request
  const { extensions = type === HOST_CERTIFICATE ? NO_OPTIONS : USER_EXTENSIONS, criticalOptions = NO_OPTIONS } =
    request
  const label = application === undefined ? LABEL : SK_LABEL
  const principals = request.principals.reduce((length, name) => length + lengthOf(name), 0)
  const options = [
    criticalOptions.size === 0 ? NO_OPTIONS_FIELD : optionsField(criticalOptions),
    extensions === USER_EXTENSIONS ? USER_EXTENSIONS_FIELD : optionsField(extensions),
    authority.lastFields,
  ]
  const ofKey = lengthOf(request.key) + (application === undefined ? 0 : lengthOf(application))
  const fields = [label.length, lengthOf(request.nonce), ofKey, lengthOf(request.keyId), principals]
  const length = FIXED_BYTES + [...fields, ...options.map((field) => field.length)].reduce((a, b) => a + b)
  const write = new Writer(length + BEFORE_SIGNATURE.length + SIGNATURE_BYTES)
  write.raw(label)
  write.string(request.nonce)
  write.string(request.key)
  if (application !== undefined) write.string(application)
  write.uint64(request.serial)
  write.uint32(type)
  write.string(request.keyId)
  write.uint32(principals)
  for (const name of request.principals) write.string(name)
  write.uint64(request.validAfter)
  write.uint64(request.validBefore)
  for (const field of options) write.raw(field)
  write.raw(BEFORE_SIGNATURE)
  write.blank(SIGNATURE_BYTES)
  const blob = write.end()
  return { blob, toSign: blob.subarray(0, length) }
}

/** Signs a prepared certificate. */
export function signDraft({ privateKey }: Authority, { blob, toSign }: Draft): Buffer {
  blob.set(sign(null, toSign, privateKey), blob.length - SIGNATURE_BYTES)
  return blob
}

/** The line of a `-cert.pub` file. */
export const formatCertificate = (blob: Uint8Array, comment = ''): string => formatLine(labelOf(blob), blob, comment)

/** Names in the order of their bytes, each once; a value is a string inside a string, a flag an empty one. */
function optionsField(options: Options): Buffer {
  const names = [...options.keys()].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const fields = names.map((name) => {
    const value = options.get(name) ?? ''
    if (name === '' || !isCleanText(name + value)) throw new RangeError('An option needs a name, and clean text.')
    return Buffer.concat([string(name), string(value === '' ? '' : string(value))])
  })
  return string(Buffer.concat(fields))
}

function refuseUnsafe(request: CertificateRequest): void {
  const { key, application = '', serial, keyId, principals, validAfter, validBefore, nonce } = request
  refuseUnless(key.length === KEY_BYTES, `The key must have ${KEY_BYTES} bytes.`)
  refuseUnless(nonce.length >= MIN_NONCE_BYTES, `The nonce must have at least ${MIN_NONCE_BYTES} bytes.`)
  refuseUnless(serial > 0n, 'The serial must be above zero.')
  refuseUnless(isCleanText(keyId + application), 'The key id and the application must be clean text.')
  // PROTOCOL.certkeys: an empty list of principals is no restriction at all, the certificate opens every account.
  refuseUnless(principals.length > 0, 'A certificate must name at least one principal.')
  refuseUnless(principals.length <= MAX_PRINCIPALS, `A certificate can name no more than ${MAX_PRINCIPALS} principals.`)
  refuseUnless(
    principals.every(isPrincipal),
    'A principal must be a name without spaces, commas and control characters.',
  )
  refuseUnless(validAfter < validBefore, 'A certificate must end after it begins.')
}

function refuseUnless(condition: boolean, message: string): void {
  if (!condition) throw new RangeError(message)
}

// sshd splits lists of principals at commas and white space: a name with either could be read as two.
export const isPrincipal = (name: string): boolean => name !== '' && name.isWellFormed() && !/[\s,\p{Cc}]/u.test(name)
