import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTick } from 'node:timers/promises'
import { AppError } from '../../../src/errors.ts'
import { createAddressQueue } from '../../../src/platform/limits/address-queue.ts'

/** A queue whose work ends on demand, and the addresses whose work has started. */
function createQueue(bounds: { atOnce: number; maxWaiting: number; maxWaitingPerAddress: number }) {
  const runForAddress = createAddressQueue(bounds)
  const started: string[] = []
  const ends: (() => void)[] = []
  const enqueue = (address: string): Promise<string> =>
    runForAddress(address, async () => {
      started.push(address)
      await new Promise<void>((resolve) => ends.push(resolve))
      return 'done'
    })
  /** Ends the work that has run longest. */
  const endOne = async () => {
    ends.shift()?.()
    await nextTick()
  }
  const endAll = async () => {
    while (ends.length > 0) await endOne()
  }
  return { started, enqueue, endOne, endAll }
}

const outcomeOf = (result: Promise<string>): Promise<string> =>
  result.catch((error: unknown) => (error instanceof AppError ? `${error.status} after ${error.retryAfter}` : 'a bug'))

test('a request of one address runs after at most one of the sixty that wait from another address', async () => {
  const { enqueue, started, endOne, endAll } = createQueue({ atOnce: 2, maxWaiting: 500, maxWaitingPerAddress: 100 })
  const many = Array.from({ length: 60 }, () => enqueue('192.0.2.1'))
  const other = enqueue('192.0.2.2')
  await nextTick()
  assert.deepEqual(started, ['192.0.2.1', '192.0.2.1'])
  await endOne()
  await endOne()
  assert.ok(started.indexOf('192.0.2.2') <= 3, `it was number ${started.indexOf('192.0.2.2') + 1}`)
  await endAll()
  assert.deepEqual(await Promise.all([...many, other]), Array<string>(61).fill('done'))
})

test('addresses take turns, whatever the order and the number of their requests', async () => {
  const { enqueue, started, endAll } = createQueue({ atOnce: 1, maxWaiting: 500, maxWaitingPerAddress: 100 })
  const results = ['a', 'a', 'a', 'a', 'b', 'b', 'c'].map((address) => enqueue(address))
  await nextTick()
  await endAll()
  await Promise.all(results)
  assert.deepEqual(started, ['a', 'a', 'b', 'c', 'a', 'b', 'a'])
})

test('the addresses of one IPv6 network count as one address', async () => {
  const { enqueue, started, endAll } = createQueue({ atOnce: 1, maxWaiting: 500, maxWaitingPerAddress: 100 })
  const results = ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1'].map((address) => enqueue(address))
  await nextTick()
  await endAll()
  await Promise.all(results)
  assert.deepEqual(started, ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1', '2001:db8::3'])
})

test('an address that fills its share is refused with 429, while others are accepted', async () => {
  const { enqueue, endAll } = createQueue({ atOnce: 1, maxWaiting: 10, maxWaitingPerAddress: 3 })
  const [, ...waiting] = Array.from({ length: 4 }, () => enqueue('a'))
  assert.equal(await outcomeOf(enqueue('a')), '429 after 10')
  const other = enqueue('b')
  await nextTick()
  await endAll()
  assert.deepEqual(await Promise.all([...waiting, other]), ['done', 'done', 'done', 'done'])
})

test('when the queue is full, a new address takes the slot of the last request of the address with the most requests', async () => {
  const { enqueue, endAll } = createQueue({ atOnce: 1, maxWaiting: 6, maxWaitingPerAddress: 3 })
  const running = enqueue('a')
  const [results, other] = [['a', 'a', 'a', 'b', 'b', 'b'].map((address) => outcomeOf(enqueue(address))), enqueue('c')]
  await nextTick()
  await endAll()
  assert.deepEqual(await Promise.all(results), ['done', 'done', '503 after 10', 'done', 'done', 'done'])
  assert.deepEqual(await Promise.all([running, other]), ['done', 'done'])
})

test('a queue full of addresses with one waiting request each refuses one more', async () => {
  const { enqueue, endAll } = createQueue({ atOnce: 1, maxWaiting: 2, maxWaitingPerAddress: 2 })
  const results = ['a', 'b', 'c'].map((address) => enqueue(address))
  assert.equal(await outcomeOf(enqueue('d')), '503 after 10')
  await nextTick()
  await endAll()
  assert.deepEqual(await Promise.all(results), ['done', 'done', 'done'])
})

test('work that fails frees its slot for the next', async () => {
  const runForAddress = createAddressQueue({ atOnce: 1, maxWaiting: 2, maxWaitingPerAddress: 2 })
  const failing = runForAddress('a', () => Promise.reject(new Error('on purpose')))
  const next = runForAddress('a', () => Promise.resolve('done'))
  await assert.rejects(failing, /on purpose/)
  assert.equal(await next, 'done')
})
