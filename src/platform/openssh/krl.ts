import { Buffer } from 'node:buffer'
import { isCleanText, string, uint32, uint64 } from './wire.ts'

// OpenSSH's PROTOCOL.krl describes the format.

export const KRL_MAGIC = Buffer.from('SSHKRL\n\0', 'latin1')
export const KRL_FORMAT = 1
export const CERTIFICATES = 1
export const SERIAL_LIST = 0x20
export const SERIAL_RANGE = 0x21
export const SERIAL_BITMAP = 0x22

// Sizes in bytes. A section is its type (1) and its length (4) before its data.
const LISTED_SIZE = 8n
const RANGE_SIZE = 5n + 16n
const BITMAP_HEADER = 5n + 8n + 4n

/** OpenSSH reads a bitmap as a big number, and none longer than this (SSHBUF_MAX_BIGNUM in sshbuf.h). */
export const MAX_BITMAP_BITS = 16384n

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

  const sections = Buffer.concat([...sectionsOf(serials), ...ranges.map(rangeSection)])
  // The serials are the same for every authority: they are counted over all of its keys.
  const scopes = (caKeys ?? ['']).map((caKey) => Buffer.concat([string(caKey), string('')]))
  return Buffer.concat([
    header,
    ...scopes.flatMap((scope) => [Buffer.of(CERTIFICATES), uint32(scope.length + sections.length), scope, sections]),
  ])
}

/** OpenSSH joins sections that overlap, so that the given ranges need not be apart from the serials. */
function sectionsOf(serials: BigUint64Array): Buffer[] {
  const sections: Buffer[] = []
  const listed: bigint[] = []
  for (const group of groupsOf(runsOf(serials))) {
    const alone = group.reduce((size, run) => size + sizeAlone(run), 0n)
    if (BITMAP_HEADER + bitmapBytes(group) < alone) sections.push(bitmapSection(group))
    else {
      for (const run of group) {
        if (!isListed(run)) sections.push(rangeSection(run))
        else for (let serial = run.first; serial <= run.last; serial++) listed.push(serial)
      }
    }
  }
  if (listed.length > 0) sections.push(section(SERIAL_LIST, bytesOf(listed)))
  return sections
}

/** Runs that are so close to each other that one bitmap may be the smallest way to write them. */
function* groupsOf(runs: Iterable<SerialRange>): Generator<SerialRange[]> {
  let group: SerialRange[] = []
  let [first, last] = [0n, 0n]
  for (const run of runs) {
    const fits = run.last - first < MAX_BITMAP_BITS && (run.last - last) / 8n < sizeAlone(run)
    if (group.length > 0 && !fits) {
      yield group
      group = []
    }
    if (group.length === 0) first = run.first
    group.push(run)
    last = run.last
  }
  if (group.length > 0) yield group
}

/** The serials as runs without a gap, in ascending order. */
function* runsOf(serials: BigUint64Array): Generator<SerialRange> {
  let run: { first: bigint; last: bigint } | undefined
  for (const serial of serials.toSorted()) {
    if (serial === 0n) throw new RangeError('Serial 0 stands for no serial, and OpenSSH refuses a list with it.')
    if (run && serial - run.last <= 1n) run.last = serial
    else {
      if (run) yield run
      run = { first: serial, last: serial }
    }
  }
  if (run) yield run
}

/** Three serials in the list take more space than a range. */
const isListed = ({ first, last }: SerialRange): boolean => last - first < 2n

const sizeAlone = (run: SerialRange): bigint => (isListed(run) ? LISTED_SIZE * (run.last - run.first + 1n) : RANGE_SIZE)

/** An mpint (RFC 4251 §5): a zero byte leads where the highest bit would be set. */
const bitmapBytes = (group: SerialRange[]): bigint => (group.at(-1)!.last - group[0]!.first + 1n) / 8n + 1n

/** Bit 0, the lowest of the last byte, stands for the bitmap's first serial. */
function bitmapSection(group: SerialRange[]): Buffer {
  const base = group[0]!.first
  const bitmap = Buffer.alloc(Number(bitmapBytes(group)))
  for (const { first, last } of group) {
    for (let bit = Number(first - base); bit <= Number(last - base); bit++) {
      const byte = bitmap.length - 1 - (bit >> 3)
      bitmap[byte] = bitmap[byte]! | (1 << (bit & 7))
    }
  }
  return section(SERIAL_BITMAP, Buffer.concat([uint64(base), string(bitmap)]))
}

const rangeSection = ({ first, last }: SerialRange): Buffer => section(SERIAL_RANGE, bytesOf([first, last]))

const section = (type: number, data: Uint8Array): Buffer => Buffer.concat([Buffer.of(type), string(data)])

function bytesOf(serials: bigint[]): Buffer {
  const bytes = Buffer.allocUnsafe(8 * serials.length)
  serials.forEach((serial, index) => bytes.writeBigUInt64BE(serial, 8 * index))
  return bytes
}
