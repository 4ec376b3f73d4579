import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  writeInThread,
  writeRevocationList,
  type Form,
  type ListContent,
} from '../../../src/ssh/revocation/write-revocation-list.ts'
import { authority } from '../../platform/openssh/ssh-keygen.ts'
import { assertWithin } from '../../support/speed.ts'
import { processorTime, watchEventLoop } from './event-loop.ts'

const contentOf = (form: Form, count: number): ListContent => ({
  form,
  serials: BigUint64Array.from({ length: count }, (_, index) => BigInt(index * 3 + 1)),
  revokedAt: new Uint32Array(count).fill(1_767_000_000),
  ranges: [{ first: 7n, last: 9n, revokedAt: 1_767_000_000_000, validBefore: 1_768_000_000_000 }],
  version: 5n,
  readAt: 1_767_000_000_000,
  caKeys: [authority.blob],
})

for (const form of ['krl', 'wildcard', 'raw', 'json'] as const) {
  test(`a list in the format ${form} is the same from another thread as from this one`, async () => {
    const content = contentOf(form, 20_000)
    assert.deepEqual(await writeInThread(content), writeRevocationList(content))
    const short = contentOf(form, 3)
    assert.deepEqual(await writeInThread(short), writeRevocationList(short))
  })
}

test('an invalid list is an error, from another thread too', async () => {
  for (const count of [2, 20_000]) {
    const content = contentOf('krl', count)
    content.serials[1] = 0n
    await assert.rejects(writeInThread(content), /Serial 0/)
  }
})

test('a million serials do not block the event loop for 20 ms, and take at most two seconds of processor time', async (t) => {
  const count = 1_000_000
  const serials = new BigUint64Array(new SharedArrayBuffer(count * 8))
  serials.forEach((_, index) => (serials[index] = BigInt(index * 3 + 1)))
  const content = { ...contentOf('krl', 0), serials }
  // Lets the function be compiled before it is measured.
  for (let times = 0; times < 1000; times++) processorTime()
  const processBefore = process.cpuUsage()
  const threadBefore = process.threadCpuUsage()
  const stopWatching = watchEventLoop()
  const body = await writeInThread(content)
  const longest = stopWatching()
  const [all, thisThread] = [process.cpuUsage(processBefore), process.threadCpuUsage(threadBefore)]
  const otherThreadsMs = (all.user + all.system - thisThread.user - thisThread.system) / 1000
  t.diagnostic(`${otherThreadsMs.toFixed()} ms in other threads, at most ${longest.toFixed(1)} ms at a time here`)
  assert.ok(body.length > 100_000)
  assertWithin(20, longest, 'one tick')
  assertWithin(2000, otherThreadsMs, 'the list')
})
