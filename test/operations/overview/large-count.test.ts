import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { createLargeCount } from '../../../src/operations/overview/overview-store.ts'
import type { Database } from '../../../src/storage/database.ts'

/** A count whose size and end the test decides. */
function setUp() {
  let at = 0
  let isLong = true
  const counts: PromiseWithResolvers<number>[] = []
  const logged: string[] = []
  const closing = new AbortController()
  const count = createLargeCount(
    {
      db: { read: 'read', background: 'background' } as unknown as Database,
      monotonicNow: () => at,
      log: pino({}, { write: (line: string) => void logged.push(line) }),
    },
    {
      stop: closing.signal,
      isLong: async () => isLong,
      count: (reader) => {
        assert.equal(reader, isLong ? 'background' : 'read')
        const pending = Promise.withResolvers<number>()
        counts.push(pending)
        return pending.promise
      },
    },
  )
  return {
    count,
    counts,
    logged,
    closing,
    advance: (ms: number) => (at += ms),
    become: (size: 'long' | 'short') => (isLong = size === 'long'),
  }
}

test('a request does not wait for a long count: it gets null, and later the last result', async () => {
  const { count, counts, advance } = setUp()
  assert.equal(await count(), null)
  assert.equal(await count(), null)
  assert.equal(counts.length, 1)
  advance(1000)
  counts[0]?.resolve(7)
  await setImmediate()
  assert.equal(await count(), 7)
  advance(19_999)
  assert.equal(await count(), 7)
  assert.equal(counts.length, 1, 'the result is used for twenty times as long as it took')
  advance(1)
  assert.equal(await count(), 7)
  assert.equal(counts.length, 2)
  counts[1]?.resolve(8)
  await setImmediate()
  assert.equal(await count(), 8)
})

test('a result of long ago is not given out', async () => {
  const { count, counts, advance } = setUp()
  await count()
  counts[0]?.resolve(7)
  await setImmediate()
  advance(3_600_000)
  assert.equal(await count(), null)
})

test('a request waits for a short count, whose result is there when the count has become long', async () => {
  const { count, counts, become } = setUp()
  become('short')
  const answer = count()
  await setImmediate()
  counts[0]?.resolve(5)
  assert.equal(await answer, 5)
  become('long')
  assert.equal(await count(), 5)
})

test('a long count that fails is logged and tried again after a while', async () => {
  const { count, counts, logged, advance } = setUp()
  await count()
  advance(1000)
  counts[0]?.reject(new Error('no database'))
  await setImmediate()
  assert.equal(await count(), null)
  assert.equal(counts.length, 1)
  assert.match(logged.join(), /no database/)
  advance(20_000)
  await count()
  counts[1]?.resolve(3)
  await setImmediate()
  assert.equal(await count(), 3)
})

test('a count that fails because the service ends is not logged', async () => {
  const { count, counts, logged, closing } = setUp()
  await count()
  closing.abort()
  counts[0]?.reject(new Error('closed'))
  await setImmediate()
  assert.deepEqual(logged, [])
})

test('a short count that fails fails the request', async () => {
  const { count, counts, become } = setUp()
  become('short')
  const answer = count()
  await setImmediate()
  counts[0]?.reject(new Error('no database'))
  await assert.rejects(answer, /no database/)
})
