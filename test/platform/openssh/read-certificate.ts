import { Buffer } from 'node:buffer'
import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import {
  ED25519_CERTIFICATE,
  type HOST_CERTIFICATE,
  MAX_PRINCIPALS,
  SK_ED25519_CERTIFICATE,
  USER_CERTIFICATE,
  type CertificateRequest,
  type Options,
} from '../../../src/platform/openssh/certificate.ts'
import { ED25519, readPublicKeyBlob } from '../../../src/platform/openssh/public-key.ts'
import { reader, type Reader, WrongFormat } from './wire-reader.ts'

const NAME = 'certificate'

/** A certificate as it was signed: without defaults, and with times as bigint. */
export type Certificate = Required<Omit<CertificateRequest, 'type' | 'application'>> & {
  readonly application?: string
  readonly validAfter: bigint
  readonly validBefore: bigint
}

/** Reads a certificate that this authority has signed, and throws a FormatError for anything else. */
export function readCertificate(
  blob: Uint8Array,
  authorityBlob: Uint8Array,
  type: typeof USER_CERTIFICATE | typeof HOST_CERTIFICATE = USER_CERTIFICATE,
): Certificate {
  const read = reader(blob, NAME)
  const label = read.string().toString('latin1')
  if (label !== ED25519_CERTIFICATE && label !== SK_ED25519_CERTIFICATE)
    throw new WrongFormat('It is not an Ed25519 certificate.')
  const nonce = read.string()
  const key = read.string()
  const application = label === SK_ED25519_CERTIFICATE ? { application: read.text() } : {}
  if (key.length !== 32) throw new WrongFormat(`The key in the certificate has ${key.length} bytes, not 32.`)
  const serial = read.uint64()
  if (read.uint32() !== type) throw new WrongFormat('It is a certificate of another type.')
  const keyId = read.text()
  const principals = readPrincipals(reader(read.string(), NAME))
  const validAfter = read.uint64()
  const validBefore = read.uint64()
  const criticalOptions = readOptions(reader(read.string(), NAME))
  const extensions = readOptions(reader(read.string(), NAME))
  read.string() // Reserved, and ignored as PROTOCOL.certkeys requires.
  if (!read.string().equals(authorityBlob)) throw new WrongFormat('Another authority has signed the certificate.')
  const signed = blob.subarray(0, read.position())
  const signature = reader(read.string(), NAME)
  read.end()
  if (!isSignedBy(authorityBlob, signed, signature)) throw new WrongFormat('The signature does not hold.')
  return { key, ...application, serial, keyId, principals, validAfter, validBefore, criticalOptions, extensions, nonce }
}

/** The blob in the line of a `-cert.pub` file. */
export function parseCertificateLine(line: string): Buffer {
  const [label, encoded = ''] = line.trimEnd().split(' ')
  const blob = Buffer.from(encoded, 'base64')
  if (!/^(sk-)?ssh-ed25519-cert-v01@openssh\.com$/.test(label ?? '') || blob.toString('base64') !== encoded) {
    throw new WrongFormat('The line is not an Ed25519 certificate.')
  }
  return blob
}

function isSignedBy(authorityBlob: Uint8Array, signed: Uint8Array, signature: Reader): boolean {
  const label = signature.string().toString('latin1')
  const bytes = signature.string()
  signature.end()
  return label === ED25519 && verify(null, signed, publicKeyObject(readPublicKeyBlob(authorityBlob).key), bytes)
}

/** The key as a KeyObject, to verify signatures with (RFC 8037 §2). */
const publicKeyObject = (key: Uint8Array): KeyObject =>
  createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key).toString('base64url') } })

function readPrincipals(read: Reader): string[] {
  const principals: string[] = []
  while (read.hasMore()) principals.push(read.text())
  if (principals.length === 0 || principals.length > MAX_PRINCIPALS) {
    throw new WrongFormat(`A certificate names 1 to ${MAX_PRINCIPALS} principals.`)
  }
  return principals
}

function readOptions(read: Reader): Options {
  const options = new Map<string, string>()
  let before: Buffer = Buffer.alloc(0)
  while (read.hasMore()) {
    const name = read.string()
    if (Buffer.compare(before, name) >= 0) throw new WrongFormat('The options are not in order, each named once.')
    const data = reader(read.string(), NAME)
    options.set(name.toString(), data.hasMore() ? data.text() : '')
    data.end()
    before = name
  }
  return options
}
