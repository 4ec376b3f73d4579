import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../src/errors.ts'
import { createFairQueue } from '../../src/limits/fair-queue.ts'

/** A queue whose work ends when the test says so, and what has begun so far. */
function createQueue(bounds: { atOnce: number; maxWaiting: number; maxWaitingPerAddress: number }) {
  const inTurn = createFairQueue(bounds)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const ask = (address: string): Promise<string> =>
    inTurn(address, async () => {
      begun.push(address)
      await new Promise<void>((resolve) => ends.push(resolve))
      return 'done'
    })
  /** Ends what has run longest. */
  const endOne = async () => {
    ends.shift()?.()
    await nextTurn()
  }
  const endAll = async () => {
    while (ends.length > 0) await endOne()
  }
  return { begun, ask, endOne, endAll }
}

const outcomeOf = (result: Promise<string>): Promise<string> =>
  result.catch((error: unknown) => (error instanceof AppError ? `${error.status} after ${error.retryAfter}` : 'a bug'))

test('sixty that wait from one address let another address in after one of them', async () => {
  const { ask, begun, endOne, endAll } = createQueue({ atOnce: 2, maxWaiting: 500, maxWaitingPerAddress: 100 })
  const many = Array.from({ length: 60 }, () => ask('192.0.2.1'))
  const other = ask('192.0.2.2')
  await nextTurn()
  assert.deepEqual(begun, ['192.0.2.1', '192.0.2.1'])
  await endOne()
  await endOne()
  assert.ok(begun.indexOf('192.0.2.2') <= 3, `it was number ${begun.indexOf('192.0.2.2') + 1}`)
  await endAll()
  assert.deepEqual(await Promise.all([...many, other]), Array<string>(61).fill('done'))
})

test('addresses take turns, whoever came first and however much each asks', async () => {
  const { ask, begun, endAll } = createQueue({ atOnce: 1, maxWaiting: 500, maxWaitingPerAddress: 100 })
  const results = ['a', 'a', 'a', 'a', 'b', 'b', 'c'].map((address) => ask(address))
  await nextTurn()
  await endAll()
  await Promise.all(results)
  assert.deepEqual(begun, ['a', 'a', 'b', 'c', 'a', 'b', 'a'])
})

test('the addresses of one IPv6 network wait in one line', async () => {
  const { ask, begun, endAll } = createQueue({ atOnce: 1, maxWaiting: 500, maxWaitingPerAddress: 100 })
  const results = ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1'].map((address) => ask(address))
  await nextTurn()
  await endAll()
  await Promise.all(results)
  assert.deepEqual(begun, ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1', '2001:db8::3'])
})

test('an address that fills its share is told to wait, while others get in', async () => {
  const { ask, endAll } = createQueue({ atOnce: 1, maxWaiting: 10, maxWaitingPerAddress: 3 })
  const [, ...waiting] = Array.from({ length: 4 }, () => ask('a'))
  assert.equal(await outcomeOf(ask('a')), '429 after 10')
  const other = ask('b')
  await nextTurn()
  await endAll()
  assert.deepEqual(await Promise.all([...waiting, other]), ['done', 'done', 'done', 'done'])
})

test('a few addresses can not fill the queue for all: the last of the longest line makes room', async () => {
  const { ask, endAll } = createQueue({ atOnce: 1, maxWaiting: 6, maxWaitingPerAddress: 3 })
  const running = ask('a')
  const [lines, other] = [['a', 'a', 'a', 'b', 'b', 'b'].map((address) => outcomeOf(ask(address))), ask('c')]
  await nextTurn()
  await endAll()
  assert.deepEqual(await Promise.all(lines), ['done', 'done', '503 after 10', 'done', 'done', 'done'])
  assert.deepEqual(await Promise.all([running, other]), ['done', 'done'])
})

test('a queue full of addresses that wait once each refuses one more', async () => {
  const { ask, endAll } = createQueue({ atOnce: 1, maxWaiting: 2, maxWaitingPerAddress: 2 })
  const results = ['a', 'b', 'c'].map((address) => ask(address))
  assert.equal(await outcomeOf(ask('d')), '503 after 10')
  await nextTurn()
  await endAll()
  assert.deepEqual(await Promise.all(results), ['done', 'done', 'done'])
})

test('work that fails gives its place to the next', async () => {
  const inTurn = createFairQueue({ atOnce: 1, maxWaiting: 2, maxWaitingPerAddress: 2 })
  const failing = inTurn('a', () => Promise.reject(new Error('on purpose')))
  const next = inTurn('a', () => Promise.resolve('done'))
  await assert.rejects(failing, /on purpose/)
  assert.equal(await next, 'done')
})
