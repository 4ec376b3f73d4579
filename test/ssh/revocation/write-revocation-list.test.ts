import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeInThread } from '../../../src/ssh/revocation/write-in-thread.ts'
import { type Form, type ListContent, writeRevocationList } from '../../../src/ssh/revocation/write-revocation-list.ts'
import { authority } from '../../openssh/ssh-keygen.ts'
import { assertWithin } from '../../support/speed.ts'

const contentOf = (form: Form, count: number): ListContent => ({
  form,
  serials: BigUint64Array.from({ length: count }, (_, index) => BigInt(index * 3 + 1)),
  revokedAt: new Uint32Array(count).fill(1_767_000_000),
  ranges: [{ first: 7n, last: 9n, revokedAt: 1_767_000_000_000, validBefore: 1_768_000_000_000 }],
  version: 5n,
  readAt: 1_767_000_000_000,
  caKey: authority.blob,
})

for (const form of ['krl', 'wildcard', 'raw', 'json'] as const) {
  test(`a long list in the form ${form} is the same from another thread as from this one`, async () => {
    const content = contentOf(form, 20_000)
    assert.deepEqual(await writeInThread(content), writeRevocationList(content))
    const short = contentOf(form, 3)
    assert.deepEqual(await writeInThread(short), writeRevocationList(short))
  })
}

test('a list that can not be written is an error, from another thread too', async () => {
  for (const count of [2, 20_000]) {
    const content = contentOf('krl', count)
    content.serials[1] = 0n
    await assert.rejects(writeInThread(content), /Serial 0/)
  }
})

/** Milliseconds of processor time of this thread, so that a busy machine does not count against us. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

test('a million serials block no request for 20 ms, and take two seconds of the processor at most', async (t) => {
  const count = 1_000_000
  const serials = new BigUint64Array(new SharedArrayBuffer(count * 8))
  serials.forEach((_, index) => (serials[index] = BigInt(index * 3 + 1)))
  const content = { ...contentOf('krl', 0), serials }
  let latest = processorTime()
  let longest = 0
  const turn = (): void => {
    const now = processorTime()
    longest = Math.max(longest, now - latest)
    latest = now
    waiting = setImmediate(turn)
  }
  // Compiled before it counts.
  for (let times = 0; times < 1000; times++) processorTime()
  const inAll = process.cpuUsage()
  const here = process.threadCpuUsage()
  let waiting = setImmediate(turn)
  const body = await writeInThread(content)
  clearImmediate(waiting)
  const [all, own] = [process.cpuUsage(inAll), process.threadCpuUsage(here)]
  const elsewhere = (all.user + all.system - own.user - own.system) / 1000
  t.diagnostic(`${elsewhere.toFixed()} ms in other threads, at most ${longest.toFixed(1)} ms at a time here`)
  assert.ok(body.length > 100_000)
  assertWithin(20, longest, 'one turn')
  assertWithin(2000, elsewhere, 'the list')
})
