import { Buffer } from 'node:buffer'
import {
  AS_RANGE,
  BITMAP_HEADER,
  bitmapBytes,
  IN_LIST,
  planSections,
  RANGE_SIZE,
  SECTION_HEADER,
  type Plan,
} from './plan-sections.ts'
import { serialRuns, type Runs } from './serial-runs.ts'
import { isCleanText, string, uint32, uint64 } from './wire.ts'

// OpenSSH's PROTOCOL.krl describes the format.

export const KRL_MAGIC = Buffer.from('SSHKRL\n\0', 'latin1')
export const KRL_FORMAT = 1
export const CERTIFICATES = 1
export const SERIAL_LIST = 0x20
export const SERIAL_RANGE = 0x21
export const SERIAL_BITMAP = 0x22

export interface Revocations {
  /** In any order; a serial that is there twice is revoked once. Serial 0 can't be revoked and throws a RangeError. */
  readonly serials: BigUint64Array
  /** Serials that are revoked as a whole, first and last included, whether or not any was ever issued. */
  readonly ranges?: readonly SerialRange[]
  /** The blobs of the authorities whose serials these are. Without any the serials of every authority are revoked. */
  readonly caKeys?: readonly Uint8Array[]
  /** Grows with every change. */
  readonly version: bigint | number
  /** Epoch seconds. */
  readonly generatedAt: bigint | number
  readonly comment?: string
}

export interface SerialRange {
  readonly first: bigint
  readonly last: bigint
}

/** Writes a key revocation list for sshd's RevokedKeys. Long lists take a second or two. */
export function buildKrl({ serials, ranges = [], caKeys, version, generatedAt, comment = '' }: Revocations): Buffer {
  if (caKeys?.some(({ length }) => length === 0) || caKeys?.length === 0)
    throw new RangeError('An empty authority key would revoke the serials of every authority.')
  if (!isCleanText(comment)) throw new RangeError('The comment must be clean text.')
  if (ranges.some(({ first, last }) => first < 1n || last < first)) throw new RangeError('A range runs backwards.')
  const header = Buffer.concat([
    KRL_MAGIC,
    uint32(KRL_FORMAT),
    uint64(version),
    uint64(generatedAt),
    uint64(0), // Flags and, after them, a reserved string: none are defined.
    string(''),
    string(comment),
  ])
  if (serials.length === 0 && ranges.length === 0) return header

  const runs = serialRuns(serials)
  const plan = planSections(runs)
  const size = plan.size + ranges.length * RANGE_SIZE
  const section = Buffer.alloc(size)
  writeSections(section.subarray(0, plan.size), runs, plan)
  writeRanges(section.subarray(plan.size), ranges)
  // The serials are the same for every authority: they are counted over all of its keys.
  const scopes = (caKeys ?? ['']).map((caKey) => Buffer.concat([string(caKey), string('')]))
  return Buffer.concat([
    header,
    ...scopes.flatMap((scope) => [Buffer.of(CERTIFICATES), uint32(scope.length + size), scope, section]),
  ])
}

/**
 * A plan reads from its end, and the order of sections is free: ranges and bitmaps fill the space from the front, the
 * highest serials first, listed serials fill it from the back, and the header of their list goes where the two meet.
 */
function writeSections(to: Uint8Array, runs: Runs, { sections }: Plan): void {
  const view = new DataView(to.buffer, to.byteOffset, to.byteLength)
  let front = 0
  let back = to.length
  for (let run = runs.count - 1; run >= 0; run--) {
    const section = sections[run]!
    if (section === IN_LIST) {
      for (let serial = runs.last[run]!; serial >= runs.first[run]!; serial--) {
        back -= 8
        view.setBigUint64(back, serial)
      }
    } else if (section === AS_RANGE) {
      front = writeRange(view, front, { first: runs.first[run]!, last: runs.last[run]! })
    } else {
      const bytes = bitmapBytes(runs.end[run]! - runs.start[section]!)
      front = writeHeader(view, front, SERIAL_BITMAP, BITMAP_HEADER - SECTION_HEADER + bytes)
      view.setBigUint64(front, runs.first[section]!)
      view.setUint32(front + 8, bytes)
      front += 12 + bytes
      setBits(to.subarray(front - bytes, front), runs, section, run)
      run = section
    }
  }
  if (back < to.length) writeHeader(view, front, SERIAL_LIST, to.length - back)
}

/** They need not be apart from the serials: OpenSSH joins what overlaps. */
function writeRanges(to: Uint8Array, ranges: readonly SerialRange[]): void {
  const view = new DataView(to.buffer, to.byteOffset, to.byteLength)
  ranges.forEach((range, index) => writeRange(view, index * RANGE_SIZE, range))
}

/** Returns where the section ends. */
function writeRange(view: DataView, at: number, { first, last }: SerialRange): number {
  const data = writeHeader(view, at, SERIAL_RANGE, RANGE_SIZE - SECTION_HEADER)
  view.setBigUint64(data, first)
  view.setBigUint64(data + 8, last)
  return data + 16
}

/** Returns where the section's data begins. */
function writeHeader(view: DataView, at: number, type: number, length: number): number {
  view.setUint8(at, type)
  view.setUint32(at + 1, length)
  return at + SECTION_HEADER
}

/** Bit 0, the lowest of the last byte, stands for the bitmap's first serial. */
function setBits(bitmap: Uint8Array, { start, end }: Runs, first: number, last: number): void {
  for (let run = first; run <= last; run++) {
    for (let bit = start[run]! - start[first]!; bit < end[run]! - start[first]!; bit++) {
      const byte = bitmap.length - 1 - (bit >> 3)
      bitmap[byte] = bitmap[byte]! | (1 << (bit & 7))
    }
  }
}
