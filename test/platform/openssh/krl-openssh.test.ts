import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildKrl } from '../../../src/platform/openssh/krl.ts'
import { formatPublicKey } from '../../../src/platform/openssh/public-key.ts'
import { readKrl } from './read-krl.ts'
import { queryKrl, authority, otherAuthority, sshKeygen, temporaryFolder } from './ssh-keygen.ts'

const folder = temporaryFolder()
const MAX = 2n ** 64n - 1n
const caFile = join(folder, 'ca.pub')
writeFileSync(caFile, `${formatPublicKey(authority.blob)}\n`)

/** Numbers below 2^32 that are pseudo-random and the same in every run (Marsaglia's xorshift32). */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
}

/** Ascending serials, with the given step after each of them. */
function ascending(count: number, start: bigint, stepAfter: (index: number) => number | bigint): BigUint64Array {
  const serials = new BigUint64Array(count)
  let serial = start
  for (let index = 0; index < count; index++) {
    serials[index] = serial
    serial += BigInt(stepAfter(index))
  }
  return serials
}

const next = numbers(42)
const shapes: Record<string, (count: number) => BigUint64Array> = {
  'one after the other': (count) => ascending(count, 1n, () => 1),
  'every other one': (count) => ascending(count, 1n, () => 2),
  'every eighth': (count) => ascending(count, 8n, () => 8),
  'dense with random gaps': (count) => ascending(count, 1_000_003n, () => 1 + (next() % 3)),
  'sparse with steps of some hundreds': (count) => ascending(count, 5n, () => 300 + (next() % 400)),
  'sparse over all 64 bits': (count) => ascending(count, 1n, () => MAX / BigInt(count + 1) - BigInt(next())),
  'runs with gaps of all sizes': (count) =>
    ascending(count, 1n, () => (next() % 50 === 0 ? next() >>> (next() % 31) || 1 : 1)),
  'a mix of lists, ranges and bitmaps': (count) =>
    ascending(count, 77n, (index) => [1, 1 + (next() % 2), 5_000 + next(), 1 + (next() % 60)][(index >> 6) % 4]!),
  'up to the maximum serial': (count) => ascending(count, MAX - BigInt(2 * count - 2), () => 2),
  'one after the other up to the maximum': (count) => ascending(count, MAX - BigInt(count - 1), () => 1),
}

/** Some serials that are revoked, always with the first and the last, and some neighbours that are not revoked. */
function sampleOf(serials: BigUint64Array): { revoked: bigint[]; valid: bigint[] } {
  const all = new Set(serials)
  const sample = new Set([0, 1, serials.length - 2, serials.length - 1].filter((index) => index in serials))
  for (let index = 0; index < Math.min(12, serials.length); index++) sample.add(next() % serials.length)
  const revoked = [...new Set([...sample].map((index) => serials[index]!))]
  const neighbours = revoked.flatMap((serial) => [
    serial - 1n,
    serial + 1n,
    serial + 8n,
    serial + 16384n,
    serial ^ (1n << 63n),
  ])
  const valid = [...new Set([1n, 2n ** 53n, MAX, ...neighbours])].filter(
    (one) => one > 0n && one <= MAX && !all.has(one),
  )
  return { revoked, valid: valid.slice(0, 24) }
}

for (const [shape, make] of Object.entries(shapes)) {
  for (const count of [1, 1_000, 100_000]) {
    test(`OpenSSH finds exactly the revoked serials in a list of ${count} (${shape})`, () => {
      const serials = make(count)
      const { revoked, valid } = sampleOf(serials)
      const header = { serials, version: 3n, generatedAt: 1n, comment: 'of a test' }
      const krl = buildKrl({ ...header, caKeys: [authority.blob] })
      assert.deepEqual(queryKrl(folder, krl, [...revoked, ...valid]), revoked)
      assert.deepEqual(queryKrl(folder, krl, revoked.slice(0, 3), otherAuthority), [])

      const wildcard = buildKrl(header)
      assert.deepEqual(queryKrl(folder, wildcard, [...revoked, ...valid.slice(0, 5)], otherAuthority), revoked)
      assert.equal(wildcard.length, krl.length - authority.blob.length)
    })
  }
}

test('OpenSSH reads an empty list, and finds nothing revoked', () => {
  const header = { serials: new BigUint64Array(0), version: 0, generatedAt: 0 }
  assert.deepEqual(queryKrl(folder, buildKrl({ ...header, caKeys: [authority.blob] }), [1n, MAX]), [])
  assert.deepEqual(queryKrl(folder, buildKrl(header), [1n, MAX]), [])
})

test('OpenSSH reads bitmaps of all lengths up to the maximum, with and without a leading zero byte', () => {
  // Every seventh serial from `base` on, and the last bit: dense enough for a bitmap, and fully determined.
  for (const bits of [8, 9, 15, 16, 17, 64, 127, 128, 16376, 16377, 16383, 16384, 16385]) {
    for (const base of [1n, 2n ** 63n, MAX - BigInt(bits - 1)]) {
      const inside = Array.from({ length: Math.ceil((bits - 1) / 7) }, (_, index) => base + BigInt(index * 7))
      const serials = BigUint64Array.from([...inside, base + BigInt(bits - 1)])
      const krl = buildKrl({ serials, caKeys: [authority.blob], version: 1, generatedAt: 1 })
      const samples = [base, base + 1n, base + BigInt(bits - 2), base + BigInt(bits - 1)]
      assert.deepEqual(
        queryKrl(folder, krl, samples),
        samples.filter((serial) => serials.includes(serial)),
      )
    }
  }
})

test('OpenSSH lists the expected serials and ranges', () => {
  const file = join(folder, 'shown.krl')
  const serials = BigUint64Array.of(5n, 1_000n, 1_001n, 1_002n, 1_003n, MAX, 2n ** 40n, 2n ** 40n + 2n, 2n ** 40n + 9n)
  writeFileSync(file, buildKrl({ serials, caKeys: [authority.blob], version: 9n, generatedAt: 0, comment: 'shown' }))
  const lines = sshKeygen('-Q', '-l', '-f', file).split('\n')
  assert.ok(lines.includes('# KRL version 9') && lines.includes('# Comment: shown'))
  assert.deepEqual(
    lines.filter((line) => line.startsWith('serial: ')),
    [
      'serial: 5',
      'serial: 1000-1003',
      `serial: ${2n ** 40n}`,
      `serial: ${2n ** 40n + 2n}`,
      `serial: ${2n ** 40n + 9n}`,
      `serial: ${MAX}`,
    ],
  )
})

/** The list that ssh-keygen -k builds from the same serials. */
function buildWithOpenSsh(serials: BigUint64Array): Buffer {
  const file = join(folder, 'buildWithOpenSsh.krl')
  writeFileSync(join(folder, 'serials'), `serial: ${serials.join('\nserial: ')}\n`)
  sshKeygen('-q', '-k', '-f', file, '-s', caFile, '-z', '1', join(folder, 'serials'))
  return readFileSync(file)
}

for (const [shape, make] of Object.entries(shapes)) {
  test(`a list is at most a hundredth and the head of a section larger than that of ssh-keygen (${shape})`, () => {
    for (const count of [1, 2, 3, 10, 100, 1_000, 20_000]) {
      const serials = make(count)
      const ourKrl = buildKrl({ serials, caKeys: [authority.blob], version: 1, generatedAt: 1 })
      const openSshKrl = buildWithOpenSsh(serials)
      if (isReadable(openSshKrl)) {
        assert.ok(
          ourKrl.length <= openSshKrl.length * 1.01 + 17,
          `${count} serials: ${ourKrl.length} bytes, not ${openSshKrl.length}`,
        )
        assert.deepEqual(readKrl(ourKrl).scopes, readKrl(openSshKrl).scopes)
      } else {
        assert.ok(count > 1_000, 'only long lists are unreadable')
      }
    }
  })
}

/** OpenSSH writes dense bitmaps of more than 16384 bits, which it can't read back. */
function isReadable(krl: Buffer): boolean {
  try {
    return queryKrl(folder, krl, [1n]) !== undefined
  } catch {
    return false
  }
}
