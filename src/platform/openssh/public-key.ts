import { Buffer } from 'node:buffer'
import { createPublicKey, hash, type KeyObject } from 'node:crypto'
import type { AppError } from '../../errors.ts'
import { isPrivateKey } from './private-key.ts'
import { publicKeyErrors } from './public-key-errors.ts'
import { FormatError, reader, string } from './wire.ts'

export const ED25519 = 'ssh-ed25519'
/** The same curve, with a private key that never leaves a security key (OpenSSH's PROTOCOL.u2f). */
const SK_ED25519 = 'sk-ssh-ed25519@openssh.com'
const KEY_BYTES = 32
const MAX_APPLICATION_LENGTH = 255
const OTHER_ALGORITHM = /^(ssh|rsa|ecdsa|sk|webauthn)-[a-z0-9@.-]{1,60}$/
const CERTIFICATE = /-cert-v0[01]@openssh\.com$/
// A comment is written to files with one line per entry and shown on terminals: it must not break a line or change the
// direction of text.
const UNSAFE_IN_COMMENT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

export interface PublicKey {
  /** The key as SSH sends it, its algorithm's name included (RFC 8709 §4). */
  readonly blob: Buffer
  /** The 32 bytes of the key itself. */
  readonly key: Buffer
  /** Of a security key: what the key may sign for, by OpenSSH's habit `ssh:`. */
  readonly application?: string
  readonly comment: string
}

/** Reads one line of a `.pub` file. Throws a FormatError that says what to send instead. */
export function parsePublicKey(text: string): PublicKey {
  const line = text.replace(/\r?\n$/, '')
  if (isPrivateKey(line)) {
    throw new FormatError(publicKeyErrors.public_key_is_private())
  }
  if (/[\r\n]/.test(line)) throw new FormatError(publicKeyErrors.public_key_not_one_line())
  const [label = '', encoded = '', ...words] = line.split(' ')
  if (label !== ED25519 && label !== SK_ED25519) throw new FormatError(wrongLabel(label, line))
  const blob = Buffer.from(encoded, 'base64')
  // Buffer skips what is not base64; only the canonical spelling encodes back to itself (RFC 4648 §3.5).
  if (encoded === '' || blob.toString('base64') !== encoded) {
    throw new FormatError(publicKeyErrors.public_key_not_base64())
  }
  const comment = words.join(' ').trim()
  if (UNSAFE_IN_COMMENT.test(comment)) throw new FormatError(publicKeyErrors.public_key_comment_unsafe())
  return { blob, ...readPublicKeyBlob(blob, label), comment }
}

/** What is inside a blob that is a key of this type to the last byte. */
export function readPublicKeyBlob(blob: Uint8Array, label: string = ED25519): Pick<PublicKey, 'key' | 'application'> {
  const read = reader(blob)
  if (read.string().toString('latin1') !== label) {
    throw new FormatError(publicKeyErrors.public_key_mislabeled({ type: label }))
  }
  const key = read.string()
  if (key.length !== KEY_BYTES) {
    throw new FormatError(
      publicKeyErrors.public_key_wrong_length({ type: label, expected: KEY_BYTES, found: key.length }),
    )
  }
  const application = label === SK_ED25519 ? readApplication(read.string()) : undefined
  read.end()
  return application === undefined ? { key } : { key, application }
}

/** ssh-keygen makes security keys only for applications whose names begin with `ssh:`. Others belong to web sites. */
function readApplication(bytes: Buffer): string {
  const application = bytes.toString('utf8')
  const isSound =
    bytes.length <= MAX_APPLICATION_LENGTH &&
    Buffer.from(application).equals(bytes) &&
    application.startsWith('ssh:') &&
    !UNSAFE_IN_COMMENT.test(application)
  if (!isSound) throw new FormatError(publicKeyErrors.public_key_not_for_ssh())
  return application
}

/** Throws a FormatError for a blob that begins with no name of an algorithm. */
export const formatPublicKey = (blob: Uint8Array, comment = ''): string => formatLine(labelOf(blob), blob, comment)

/** The name of the algorithm, or of the kind of certificate, that a blob begins with. */
export const labelOf = (blob: Uint8Array): string => reader(blob).string().toString('latin1')

/** One line for a file: label, base64, comment. */
export function formatLine(label: string, blob: Uint8Array, comment: string): string {
  if (UNSAFE_IN_COMMENT.test(comment)) throw new RangeError('A comment must not have control characters in it.')
  const encoded = Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength).toString('base64')
  return comment === '' ? `${label} ${encoded}` : `${label} ${encoded} ${comment}`
}

/** The fingerprint that `ssh-keygen -l` prints: SHA-256 of the blob, base64 without padding. */
export const fingerprint = (blob: Uint8Array): string => `SHA256:${hash('sha256', blob, 'base64').replace(/=+$/, '')}`

/** The blob of a key that Node holds, private or public. */
export function publicKeyBlob(key: KeyObject): Buffer {
  if (key.asymmetricKeyType !== 'ed25519') throw new TypeError('The key must be an Ed25519 key.')
  const { x = '' } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' })
  return Buffer.concat([string(ED25519), string(Buffer.from(x, 'base64url'))])
}

function wrongLabel(label: string, line: string): AppError {
  if (CERTIFICATE.test(label)) return publicKeyErrors.public_key_is_certificate()
  if (OTHER_ALGORITHM.test(label)) return publicKeyErrors.public_key_type({ type: label })
  if (line.includes(`${ED25519} `) || line.includes(`${SK_ED25519} `)) return publicKeyErrors.public_key_has_options()
  return publicKeyErrors.public_key_malformed()
}
