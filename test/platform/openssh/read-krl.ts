import type { Buffer } from 'node:buffer'
import {
  CERTIFICATES,
  KRL_FORMAT,
  KRL_MAGIC,
  MAX_BITMAP_BITS,
  SERIAL_BITMAP,
  SERIAL_LIST,
  SERIAL_RANGE,
  type SerialRange,
} from '../../../src/platform/openssh/krl.ts'
import { reader, type Reader, WrongFormat } from './wire-reader.ts'

const NAME = 'revocation list'
const MAX_SERIAL = 2n ** 64n - 1n

export interface Krl {
  readonly version: bigint
  readonly generatedAt: bigint
  readonly comment: string
  readonly scopes: readonly Scope[]
}

/** The revoked serials of one authority, or of every authority if there is no caKey. */
export interface Scope {
  readonly caKey: Buffer | undefined
  /** Ascending, with a gap between any two. */
  readonly ranges: readonly SerialRange[]
}

/**
 * Reads a revocation list of serials, as strictly as OpenSSH does. A list that revokes by other means (key ids, plain
 * keys, hashes) is refused: an unsupported section must not count as not revoked.
 */
export function readKrl(bytes: Uint8Array): Krl {
  const read = reader(bytes, NAME)
  if (!read.raw(KRL_MAGIC.length).equals(KRL_MAGIC)) throw new WrongFormat('It is not an OpenSSH revocation list.')
  if (read.uint32() !== KRL_FORMAT) throw new WrongFormat('The revocation list is of an unknown format.')
  const version = read.uint64()
  const generatedAt = read.uint64()
  read.uint64() // Flags and, after them, a reserved string: to be ignored.
  read.string()
  const comment = read.text()
  const scopes: Scope[] = []
  while (read.hasMore()) {
    if (read.uint8() !== CERTIFICATES) throw new WrongFormat('The list revokes something else than certificates.')
    scopes.push(readScope(reader(read.string(), NAME)))
  }
  return { version, generatedAt, comment, scopes }
}

/** Whether a certificate of this authority with this serial is revoked. */
export const isRevoked = (krl: Krl, caKey: Uint8Array, serial: bigint): boolean =>
  krl.scopes.some((scope) => (scope.caKey === undefined || scope.caKey.equals(caKey)) && includes(scope.ranges, serial))

function readScope(read: Reader): Scope {
  const caKey = read.string()
  read.string() // Reserved.
  const ranges: SerialRange[] = []
  while (read.hasMore()) {
    const type = read.uint8()
    const section = reader(read.string(), NAME)
    if (type === SERIAL_LIST) readList(section, ranges)
    else if (type === SERIAL_RANGE) ranges.push({ first: section.uint64(), last: section.uint64() })
    else if (type === SERIAL_BITMAP) readBitmap(section, ranges)
    else throw new WrongFormat('The list revokes certificates by something else than their serials.')
    section.end()
  }
  for (const { first, last } of ranges) {
    if (first === 0n) throw new WrongFormat('Serial 0 cannot be revoked.')
    if (last < first) throw new WrongFormat('A range of serials ends before it begins.')
    if (last > MAX_SERIAL) throw new WrongFormat('A bitmap goes past the maximum serial.')
  }
  return { caKey: caKey.length === 0 ? undefined : caKey, ranges: merge(ranges) }
}

function readList(read: Reader, ranges: SerialRange[]): void {
  while (read.hasMore()) {
    const serial = read.uint64()
    ranges.push({ first: serial, last: serial })
  }
}

function readBitmap(read: Reader, ranges: SerialRange[]): void {
  const base = read.uint64()
  const number = read.string()
  // RFC 4251 §5: if the first bit is set, the number is negative, which a bitmap can't be.
  if ((number[0] ?? 0) >= 0x80) throw new WrongFormat('A bitmap lacks its leading zero byte.')
  const bits = number[0] === 0 ? number.subarray(1) : number
  if (bits.length * 8 > MAX_BITMAP_BITS) throw new WrongFormat(`A bitmap has more than ${MAX_BITMAP_BITS} bits.`)
  for (let bit = 0; bit < bits.length * 8; bit++) {
    if ((bits[bits.length - 1 - (bit >> 3)]! >> (bit & 7)) & 1) {
      const serial = base + BigInt(bit)
      ranges.push({ first: serial, last: serial })
    }
  }
}

function merge(ranges: SerialRange[]): SerialRange[] {
  const result: { first: bigint; last: bigint }[] = []
  for (const { first, last } of ranges.toSorted((a, b) => (a.first < b.first ? -1 : Number(a.first > b.first)))) {
    const latest = result.at(-1)
    if (latest === undefined || first > latest.last + 1n) result.push({ first, last })
    else if (last > latest.last) latest.last = last
  }
  return result
}

function includes(ranges: readonly SerialRange[], serial: bigint): boolean {
  let low = 0
  let high = ranges.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (ranges[middle]!.last < serial) low = middle + 1
    else high = middle
  }
  return low < ranges.length && ranges[low]!.first <= serial
}
