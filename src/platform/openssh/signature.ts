import { Buffer } from 'node:buffer'
import { hash, sign } from 'node:crypto'
import type { Authority } from './certificate.ts'
import { ED25519 } from './public-key.ts'
import { string, uint32 } from './wire.ts'

// OpenSSH's PROTOCOL.sshsig describes the format, which `ssh-keygen -Y sign` writes and `ssh-keygen -Y verify` reads.

const MAGIC = Buffer.from('SSHSIG')
const VERSION = 1
const HASH = 'sha512'
const NOTHING_RESERVED = ''

/** Signs a message for one namespace. A signature is valid in no other one, and is none that a login or a certificate has. */
export function signMessage({ privateKey, blob }: Authority, namespace: string, message: Uint8Array): Buffer {
  const about = [string(namespace), string(NOTHING_RESERVED), string(HASH)]
  const signed = Buffer.concat([MAGIC, ...about, string(hash(HASH, message, 'buffer'))])
  const signature = Buffer.concat([string(ED25519), string(sign(null, signed, privateKey))])
  return Buffer.concat([MAGIC, uint32(VERSION), string(blob), ...about, string(signature)])
}
