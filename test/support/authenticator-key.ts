import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import type { CborValue } from './cbor.ts'

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256' | 'ES384'

/** The identifiers of the IANA registry of COSE algorithms. The service never offers ES384. */
export const COSE_ALGORITHM: Record<Algorithm, number> = { ES256: -7, EdDSA: -8, RS256: -257, ES384: -35 }

export type AuthenticatorKey = {
  /** The COSE key by label, RFC 9053 §7 and RFC 8230 §4. */
  cose: Map<number | string, CborValue>
  sign(data: Uint8Array): Buffer
}

export function createAuthenticatorKey(algorithm: Algorithm): AuthenticatorKey {
  const { publicKey, privateKey } = generate(algorithm)
  const digest = { ES256: 'sha256', RS256: 'sha256', ES384: 'sha384', EdDSA: null }[algorithm]
  return {
    cose: new Map([[3, COSE_ALGORITHM[algorithm]], ...parameters(algorithm, publicKey)]),
    sign: (data) => sign(digest, data, privateKey),
  }
}

function generate(algorithm: Algorithm): { publicKey: KeyObject; privateKey: KeyObject } {
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519')
  if (algorithm === 'RS256') return generateKeyPairSync('rsa', { modulusLength: 2048 })
  return generateKeyPairSync('ec', { namedCurve: algorithm === 'ES256' ? 'P-256' : 'P-384' })
}

function parameters(algorithm: Algorithm, publicKey: KeyObject): [number, CborValue][] {
  const jwk = publicKey.export({ format: 'jwk' })
  const member = (name: 'x' | 'y' | 'n' | 'e') => Buffer.from(jwk[name] ?? '', 'base64url')
  if (algorithm === 'EdDSA') return labelled(1, 6, member('x'))
  if (algorithm === 'RS256') return labelled(3, member('n'), member('e'))
  return labelled(2, algorithm === 'ES256' ? 1 : 2, member('x'), member('y'))
}

/** The key type under label 1, its parameters under -1, -2 and so on. */
const labelled = (kty: number, ...rest: CborValue[]): [number, CborValue][] => [
  [1, kty],
  ...rest.map((value, index): [number, CborValue] => [-1 - index, value]),
]
