import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { isUnavailable, StorageFailure } from '../../src/storage/failure.ts'
import { createTransactionQueue } from '../../src/storage/transaction-queue.ts'

/** Work that ends on demand. */
function controlled() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let hasStarted = false
  const work = () => {
    hasStarted = true
    return promise
  }
  return { work, end: resolve, fail: reject, hasStarted: () => hasStarted }
}

test('only a limited number of calls for one key run at a time, and the next one starts when one has ended, in order', async () => {
  const run = createTransactionQueue(2).run
  const all = Array.from({ length: 4 }, controlled)
  const results = all.map(({ work }) => run('ada', work))
  const started = () => all.map(({ hasStarted }) => hasStarted())
  assert.deepEqual(started(), [true, true, false, false])
  all[1]!.end('second')
  assert.equal(await results[1], 'second')
  await setImmediate()
  assert.deepEqual(started(), [true, true, true, false])
  all[0]!.fail(new Error('refused'))
  await assert.rejects(results[0]!, /refused/)
  await setImmediate()
  assert.deepEqual(started(), [true, true, true, true])
  all[2]!.end('third')
  all[3]!.end('fourth')
  assert.deepEqual(await Promise.all(results.slice(2)), ['third', 'fourth'])
})

test('a call for another key does not wait', async () => {
  const run = createTransactionQueue(1).run
  const blocked = controlled()
  const waiting = run('ada', blocked.work)
  assert.equal(await run('ben', async () => 'at once'), 'at once')
  blocked.end('late')
  assert.equal(await waiting, 'late')
  assert.equal(await run('ada', async () => 'again'), 'again')
})

test('when a call finds the database unavailable, the calls that wait behind it fail without starting', async () => {
  const run = createTransactionQueue(1).run
  const first = controlled()
  const behind = Array.from({ length: 3 }, controlled)
  const results = [first, ...behind].map(({ work }) => run('ada', work))
  first.fail(new StorageFailure('unavailable', new Error('Query read timeout')))
  for (const result of results) await assert.rejects(result, isUnavailable)
  assert.ok(behind.every(({ hasStarted }) => !hasStarted()))
  assert.equal(await run('ada', async () => 'again'), 'again')
})

test('a thousand slow calls for one key all run, while each of them ends', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const run = createTransactionQueue(3).run
  const work = () => new Promise((resolve) => setTimeout(resolve, 75, 'done'))
  const results = Promise.all(Array.from({ length: 1000 }, () => run('ada', work)))
  for (let passed = 0; passed < 30_000; passed += 75) {
    t.mock.timers.tick(75)
    await setImmediate()
  }
  assert.ok((await results).every((result) => result === 'done'))
})
