import { createPublicKey } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import { orFail, requireThat } from './webauthn-errors.ts'

/** The COSE algorithms we offer, the preferred first: ES256, EdDSA, RS256. */
export const OFFERED_ALGORITHMS = [-7, -8, -257]

// The labels of a COSE key, RFC 9053 §7 and RFC 8230 §4. What -1 to -3 mean depends on the key type.
const KTY = 1
const ALG = 3

/**
 * Refuses a public key that could never verify a signature. The library checks a key only when it verifies a signature. A
 * registration without attestation has none, so a bad key would be stored and fail at login.
 */
export function checkCredentialKey(cose: Uint8Array): { algorithm: number } {
  const key = orFail('public_key', () => isoCBOR.decodeFirst<unknown>(new Uint8Array(cose)))
  requireThat(key instanceof Map, 'public_key', 'The public key is not a COSE key.')
  const algorithm: unknown = key.get(ALG)
  requireThat(
    typeof algorithm === 'number' && OFFERED_ALGORITHMS.includes(algorithm),
    'algorithm',
    `Algorithm ${String(algorithm)} was not offered.`,
  )
  requireThat(isKeyFor(algorithm, key), 'public_key', `The public key is not one for algorithm ${algorithm}.`)
  return { algorithm }
}

/** WebAuthn Level 3 §5.8.5: ES256 goes with P-256 and an uncompressed point, EdDSA with Ed25519. */
function isKeyFor(algorithm: number, key: Map<unknown, unknown>): boolean {
  const [first, second, third] = [key.get(-1), key.get(-2), key.get(-3)]
  switch (algorithm) {
    case -7:
      return key.get(KTY) === 2 && first === 1 && isBytes(second, 32) && isBytes(third, 32) && onP256(second, third)
    case -8:
      return key.get(KTY) === 1 && first === 6 && isBytes(second, 32) && onEd25519(second)
    case -257:
      return key.get(KTY) === 3 && isBytes(first, 256, 512) && isBytes(second, 1, 4) && isRsaKey(first, second)
    default:
      return false
  }
}

const isBytes = (value: unknown, min: number, max = min): value is Uint8Array =>
  value instanceof Uint8Array && value.length >= min && value.length <= max

/** OpenSSL refuses coordinates that are not on the curve when it loads the key. */
const onP256 = (x: Uint8Array, y: Uint8Array): boolean =>
  loads({ kty: 'EC', crv: 'P-256', x: base64url(x), y: base64url(y) })

/** From 2048 to 4096 bits. Larger keys make verification slow, and no authenticator uses them. */
const isRsaKey = (n: Uint8Array, e: Uint8Array): boolean =>
  (n[0] ?? 0) >= 0x80 && isOddAboveOne(e) && loads({ kty: 'RSA', n: base64url(n), e: base64url(e) })

const isOddAboveOne = (bytes: Uint8Array): boolean =>
  ((bytes.at(-1) ?? 0) & 1) === 1 && bytes.reduce((sum, byte) => sum + byte, 0) > 1

function loads(key: Record<string, string>): boolean {
  try {
    createPublicKey({ key, format: 'jwk' })
    return true
  } catch {
    return false
  }
}

/**
 * Whether a signature has the format of its algorithm (WebAuthn Level 3 §6.5.5). The library reads the DER of ES256
 * leniently: it accepts wrong lengths and trailing bytes.
 */
export function hasSignatureFormat(cose: Uint8Array, signature: Uint8Array): boolean {
  const key = orFail('signature', () => isoCBOR.decodeFirst<unknown>(new Uint8Array(cose)))
  if (!(key instanceof Map)) return false
  return key.get(ALG) === -7 ? isEcdsaDer(signature) : true
}

/** RFC 3279 §2.2.3: a sequence of two integers, each positive and as short as possible. */
function isEcdsaDer(bytes: Uint8Array): boolean {
  const rLength = bytes[3] ?? 0
  const r = bytes.subarray(4, 4 + rLength)
  const s = bytes.subarray(6 + rLength)
  const framed = [0x30, bytes.length - 2, 0x02, rLength].every((byte, index) => bytes[index] === byte)
  return framed && bytes[4 + rLength] === 0x02 && bytes[5 + rLength] === s.length && isPositive(r) && isPositive(s)
}

const isPositive = ([first = 0x80, second = 0, ...rest]: Uint8Array): boolean =>
  first < 0x80 && (first > 0 || second >= 0x80) && rest.length <= 31

const P = 2n ** 255n - 19n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n

/**
 * RFC 8032 §5.1.3: y is on the curve when (y² - 1) / (d y² + 1) is a square. OpenSSL checks that only when it verifies.
 * The quotient is a square when the product is one, by Euler's criterion.
 */
function onEd25519(encoded: Uint8Array): boolean {
  const y = BigInt(`0x${Buffer.from(encoded.toReversed()).toString('hex')}`) & (2n ** 255n - 1n)
  const square = (y * y) % P
  return y < P && power((square - 1n + P) * (D * square + 1n), (P - 1n) / 2n) <= 1n
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let factor = base % P
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * factor) % P
    factor = (factor * factor) % P
  }
  return result
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

/** An attestation object is a map that holds a statement that may hold a list; extension outputs are no deeper. */
const MAX_DEPTH = 8

/**
 * Counts the CBOR data items (RFC 8949 §3) that the bytes consist of, or answers `undefined` when they are cut short,
 * of indefinite length (which CTAP2 canonical CBOR forbids), or nested deeper than anything WebAuthn defines.
 *
 * The library's decoder recurses once a level, accepts a string that is longer than the remaining bytes, and ignores what
 * follows the first item. So the structure is checked first, without recursion.
 */
export function countCborItems(bytes: Uint8Array): number | undefined {
  const openCounts: number[] = []
  let items = 0
  let at = 0
  while (at < bytes.length) {
    const head = readHead(bytes, at)
    if (!head) return undefined
    at = head.end + (head.major === 2 || head.major === 3 ? head.argument : 0)
    const children = childrenOf(head)
    // Every child takes at least one byte, so a count beyond the remaining bytes is wrong.
    if (at > bytes.length || children > bytes.length - at) return undefined
    if (children > 0) {
      if (openCounts.length === MAX_DEPTH) return undefined
      openCounts.push(children)
      continue
    }
    let left = 0
    while (left === 0 && openCounts.length > 0) {
      left = (openCounts.pop() ?? 0) - 1
      if (left > 0) openCounts.push(left)
    }
    if (openCounts.length === 0) items += 1
  }
  return openCounts.length === 0 ? items : undefined
}

type Head = { major: number; argument: number; end: number }

function readHead(bytes: Uint8Array, at: number): Head | undefined {
  const first = bytes[at] ?? 0
  const major = first >> 5
  const information = first & 0x1f
  if (information < 24) return { major, argument: information, end: at + 1 }
  if (information > 27) return undefined
  const end = at + 1 + 2 ** (information - 24)
  if (end > bytes.length) return undefined
  const argument = bytes.subarray(at + 1, end).reduce((value, byte) => value * 256 + byte, 0)
  return { major, argument, end }
}

function childrenOf({ major, argument }: Head): number {
  if (major === 4) return argument
  if (major === 5) return argument * 2
  return major === 6 ? 1 : 0
}
