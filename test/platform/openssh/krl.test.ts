import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { buildKrl, type Revocations } from '../../../src/platform/openssh/krl.ts'
import { FormatError, string, uint32, uint64 } from '../../../src/platform/openssh/wire.ts'
import { isRevoked, readKrl } from './read-krl.ts'
import { queryKrl, authority, otherAuthority, temporaryFolder } from './ssh-keygen.ts'

const folder = temporaryFolder()
const MAX = 2n ** 64n - 1n
const build = (serials: bigint[], more: Partial<Revocations> = {}): Buffer =>
  buildKrl({ serials: BigUint64Array.from(serials), caKeys: [authority.blob], version: 1n, generatedAt: 1n, ...more })

/** The serials as the minimum number of ranges, computed in a simple way. */
function rangesOf(serials: readonly bigint[]): { first: bigint; last: bigint }[] {
  const all = new Set(serials)
  const ascending = [...all].toSorted((a, b) => (a < b ? -1 : 1))
  const lasts = ascending.filter((serial) => !all.has(serial + 1n))
  return ascending.filter((serial) => !all.has(serial - 1n)).map((first, index) => ({ first, last: lasts[index]! }))
}

/** The minimum size, found by trying every bitmap. A serial in a list takes 8 bytes, a range 21. */
function smallestSize(ranges: readonly { first: bigint; last: bigint }[], list: boolean): number {
  const sizes = [0]
  for (const [index, { first, last }] of ranges.entries()) {
    const listed = list ? 8 * Number(last - first + 1n) : Infinity
    let best = sizes[index]! + Math.min(21, listed)
    for (let start = index; start >= 0; start--) {
      const bits = Number(last - ranges[start]!.first) + 1
      if (bits > 16384) break
      best = Math.min(best, sizes[start]! + 17 + Math.floor(bits / 8) + 1)
    }
    sizes.push(best)
  }
  return sizes.at(-1)!
}

// Clusters with small steps, some runs and some jumps, so that every kind of section occurs.
const step = fc.oneof(
  { weight: 8, arbitrary: fc.bigInt({ min: 1n, max: 3n }) },
  { weight: 4, arbitrary: fc.bigInt({ min: 1n, max: 200n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 8_000n, max: 17_000n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 1n, max: 2n ** 58n }) },
)
const serialLists = fc
  .tuple(fc.bigInt({ min: 1n, max: MAX }), fc.array(step, { maxLength: 200 }))
  .map(([start, steps]) => {
    const serials = [start]
    for (const each of steps) serials.push(serials.at(-1)! + each)
    return serials.filter((serial) => serial <= MAX)
  })

test('every list of serials is read back as it was written, in any order and with duplicates', () => {
  const shuffled = serialLists.chain((serials) =>
    fc.shuffledSubarray([...serials, ...serials.slice(0, 5)], { minLength: serials.length }),
  )
  fc.assert(
    fc.property(shuffled, (serials) => {
      const { scopes } = readKrl(build(serials))
      assert.deepEqual(scopes, [{ caKey: authority.blob, ranges: rangesOf(serials) }])
    }),
    { seed: 1, numRuns: 300 },
  )
})

test('no other choice of sections makes a list smaller by more than a twentieth and the head of a section', () => {
  const headerBytes = build([]).length + 5 + 4 + authority.blob.length + 4
  fc.assert(
    fc.property(serialLists, (serials) => {
      const ranges = rangesOf(serials)
      const smallest = Math.min(smallestSize(ranges, true) + 5, smallestSize(ranges, false))
      const size = build(serials).length - headerBytes
      assert.ok(size >= smallest && size <= smallest * 1.05 + 17, `${size} instead of ${smallest}`)
    }),
    { seed: 2, numRuns: 300 },
  )
})

test('the header contains the version, the time and the comment', () => {
  const { scopes, ...header } = readKrl(build([5n], { version: MAX, generatedAt: 1_767_000_000, comment: 'żółw' }))
  assert.deepEqual(header, { version: MAX, generatedAt: 1_767_000_000n, comment: 'żółw' })
  assert.equal(scopes.length, 1)
})

test('an empty list is only a header, and revokes nothing', () => {
  const krl = readKrl(build([]))
  assert.deepEqual(krl.scopes, [])
  assert.equal(isRevoked(krl, authority.blob, 1n), false)
})

test('a list for one authority does not apply to another, and a list without an authority applies to all', () => {
  const scoped = readKrl(build([1n, 5n, 6n, 7n, MAX]))
  const open = readKrl(buildKrl({ serials: BigUint64Array.of(5n), version: 1, generatedAt: 1 }))
  const both = readKrl(build([5n], { caKeys: [authority.blob, otherAuthority.blob] }))
  assert.equal(isRevoked(both, authority.blob, 5n) && isRevoked(both, otherAuthority.blob, 5n), true)
  assert.equal(isRevoked(both, authority.blob, 6n), false)
  assert.deepEqual(
    [0n, 1n, 2n, 4n, 5n, 7n, 8n, MAX - 1n, MAX].filter((serial) => isRevoked(scoped, authority.blob, serial)),
    [1n, 5n, 7n, MAX],
  )
  assert.equal(isRevoked(scoped, otherAuthority.blob, 5n), false)
  assert.equal(isRevoked(open, authority.blob, 5n) && isRevoked(open, otherAuthority.blob, 5n), true)
  assert.equal(open.scopes[0]?.caKey, undefined)
})

test('serial 0, an empty authority key, a comment with NUL and a negative version are refused', () => {
  assert.throws(() => build([7n, 0n]), RangeError)
  assert.throws(() => build([7n], { caKeys: [Buffer.alloc(0)] }), RangeError)
  assert.throws(() => build([7n], { comment: 'a\0b' }), RangeError)
  assert.throws(() => build([7n], { version: -1n }), RangeError)
})

test('building a list does not change the given serials', () => {
  const serials = BigUint64Array.of(9n, 3n, 3n, 4n)
  assert.deepEqual(readKrl(buildKrl({ serials, version: 1, generatedAt: 1 })).scopes[0]?.ranges, [
    { first: 3n, last: 4n },
    { first: 9n, last: 9n },
  ])
  assert.deepEqual(serials, BigUint64Array.of(9n, 3n, 3n, 4n))
})

const section = (type: number, ...data: Uint8Array[]): Buffer =>
  Buffer.concat([Buffer.of(type), string(Buffer.concat(data))])
const scope = (...sections: Uint8Array[]): Buffer => section(1, string(authority.blob), string(''), ...sections)
const bitmap = (base: bigint, ...bytes: number[]): Buffer => section(0x22, uint64(base), string(Buffer.from(bytes)))

const malformed: Record<string, Buffer[]> = {
  'serial 0 in a list': [scope(section(0x20, uint64(0)))],
  'serial 0 in a range': [scope(section(0x21, uint64(0), uint64(5)))],
  'serial 0 in a bitmap': [scope(bitmap(0n, 1))],
  'a range that runs backwards': [scope(section(0x21, uint64(6), uint64(5)))],
  'a range with bytes after it': [scope(section(0x21, uint64(5), uint64(6), Buffer.of(0)))],
  'a list with half a serial': [scope(section(0x20, uint64(5), uint32(6)))],
  'a bitmap without its leading zero byte': [scope(bitmap(5n, 0x80))],
  'a bitmap of more than 16384 bits': [scope(bitmap(5n, 1, ...Array.from({ length: 2048 }, () => 0)))],
  'a bitmap past the last serial': [scope(bitmap(MAX, 2))],
  'an unknown kind of section for certificates': [scope(section(0x7f, uint64(5)))],
  'an unknown kind of section': [section(0x7f, uint64(5))],
  'a byte after the end': [scope(section(0x20, uint64(5))), Buffer.of(0)],
  'a section cut short': [scope(section(0x20, uint64(5))).subarray(0, -1)],
}

for (const [name, parts] of Object.entries(malformed)) {
  test(`${name} is refused by our reader and by OpenSSH`, async () => {
    const krl = Buffer.concat([build([]), ...parts])
    assert.throws(() => readKrl(krl), FormatError)
    assert.throws(() => queryKrl(folder, krl, [5n]))
  })
}

test('data that is not a revocation list, or has another format version, is refused', () => {
  const krl = build([5n])
  assert.throws(() => readKrl(Buffer.from('ssh-ed25519 AAAA')), FormatError)
  assert.throws(() => readKrl(Buffer.alloc(0)), FormatError)
  assert.throws(() => readKrl(Buffer.concat([krl.subarray(0, 8), uint32(2), krl.subarray(12)])), /unknown format/)
})

test('a list that revokes by key id is refused, since an unsupported section must not count as not revoked', () => {
  const krl = Buffer.concat([build([]), scope(section(0x23, string('an id')))])
  assert.throws(() => readKrl(krl), /something else than their serials/)
})
