import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Keys at rest. AES-256-GCM under a key derived from SECRET_KEY; what a sealed value is for is bound to it as
 * associated data, so that one can't replace another. Message authentication codes are HMAC-SHA-256 under another key.
 */
export interface Vault {
  seal(purpose: string, plaintext: Buffer): string
  /** Throws when the secret is not the one that sealed it, or the value was altered. */
  open(purpose: string, sealed: string): Buffer
  /** A message authentication code of 43 characters. Compare it in constant time. */
  mac(purpose: string, message: string): string
}

const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
const VERSION = 'v1.'

export function createVault(secretKey: string): Vault {
  const key = Buffer.from(hkdfSync('sha256', secretKey, 'latchkey', 'keys at rest', 32))
  const macKey = Buffer.from(hkdfSync('sha256', secretKey, 'latchkey', 'marks', 32))
  return {
    seal(purpose, plaintext) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(purpose))
      const sealed = Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
      return VERSION + sealed.toString('base64url')
    },
    open(purpose, sealed) {
      if (!sealed.startsWith(VERSION)) throw new Error('Unknown format of a sealed key.')
      const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url')
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
    },
    mac: (purpose, message) =>
      createHmac('sha256', macKey).update(purpose).update('\0').update(message).digest('base64url'),
  }
}
