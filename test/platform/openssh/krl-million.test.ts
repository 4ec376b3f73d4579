import assert from 'node:assert/strict'
import { createCipheriv } from 'node:crypto'
import { test } from 'node:test'
import { buildKrl } from '../../../src/platform/openssh/krl.ts'
import { assertWithin } from '../../support/speed.ts'
import { queryKrl, authority, temporaryFolder } from './ssh-keygen.ts'

const MILLION = 1_000_000
const folder = temporaryFolder()
const header = { caKeys: [authority.blob], version: 1n, generatedAt: 1n }
const HEADER_BYTES = 44 + 5 + 4 + authority.blob.length + 4 // The header of the file, and that of its one section.

/** Pseudo-random, and the same in every run. */
function randomSerials(): BigUint64Array {
  const bytes = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(MILLION * 8))
  return new BigUint64Array(new Uint8Array(bytes).buffer)
}

/** Milliseconds of processor time, so that other processes do not matter. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

for (const [kind, serials, size] of [
  ['random', randomSerials(), 5 + 8 * MILLION],
  ['contiguous', BigUint64Array.from({ length: MILLION }, (_, index) => BigInt(index + 1)), 21],
] as const) {
  test(`a million ${kind} serials make a list of the expected size within two seconds`, (t) => {
    const began = processorTime()
    const krl = buildKrl({ ...header, serials })
    const took = processorTime() - began
    t.diagnostic(`${took.toFixed()} ms`)
    assertWithin(2_000, took)
    assert.equal(krl.length, HEADER_BYTES + size)
  })
}

test('OpenSSH loads a list of a million contiguous serials with a few gaps', () => {
  const serials = BigUint64Array.from({ length: MILLION }, (_, index) => BigInt(index + 1 + Math.floor(index / 1_000)))
  const krl = buildKrl({ ...header, serials })
  assert.deepEqual(queryKrl(folder, krl, [1n, 1_000n, 1_001n, 1_002n, 1_000_998n, 1_000_999n, 1_001_000n]), [
    1n,
    1_000n,
    1_002n,
    1_000_998n,
    1_000_999n,
  ])
})
