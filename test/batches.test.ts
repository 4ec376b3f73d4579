import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { collectPerTick, createBatchQueue, type TurnedAway } from '../src/batches.ts'

test('at most a thousand are handed over together, in order, and other events of the process come between', async () => {
  const handedOver: number[][] = []
  const add = collectPerTick<number>((together) => void handedOver.push(together))
  for (let number = 0; number < 2500; number++) add(number)
  assert.deepEqual(handedOver, [], 'not within the tick in which they come')
  const sizes: number[] = []
  for (let tick = 0; tick < 5; tick++) {
    await setImmediate()
    sizes.push(handedOver.flat().length)
  }
  assert.deepEqual(sizes.slice(0, 3), [1000, 2000, 2500])
  assert.deepEqual(
    handedOver.flat(),
    Array.from({ length: 2500 }, (_, number) => number),
  )
  assert.equal(handedOver.length, 3, 'never an empty one')
})

test('what is added while others are handed over is handed over later', async () => {
  const handedOver: string[][] = []
  const add = collectPerTick<string>((together) => {
    handedOver.push(together)
    if (together.includes('first')) add('second')
  })
  add('first')
  for (let tick = 0; tick < 3; tick++) await setImmediate()
  assert.deepEqual(handedOver, [['first'], ['second']])
})

test('work between two batches may take longer than a batch, but what waits for it does not wait for ever', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const ends: (TurnedAway | 'done')[] = []
  const queue = createBatchQueue<string>({
    run: async (batch) => batch.forEach(() => ends.push('done')),
    turnAway: (_item, why) => void ends.push(why),
    maxBatch: 10,
    maxWaiting: 10,
    maxWaitMs: 100,
    maxWaitBetweenMs: 1000,
  })
  const letPass = async (milliseconds: number) => {
    t.mock.timers.tick(milliseconds)
    await setImmediate()
    await setImmediate()
  }
  const between = async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    queue.between(() => promise)
    await setImmediate()
    return resolve
  }

  const endShort = await between()
  queue.add('waits')
  await letPass(999)
  queue.add('comes later')
  endShort()
  await letPass(0)
  assert.deepEqual(ends.splice(0), ['done', 'done'])

  const endLong = await between()
  queue.add('waits')
  await letPass(1000)
  queue.add('comes later')
  assert.deepEqual(ends.splice(0), ['too long', 'too long'])
  endLong()
  await letPass(0)
  queue.add('comes after it')
  await letPass(0)
  assert.deepEqual(ends, ['done'])
})

test('a queue that is full of what came quietly runs it when another comes that finds no place', async () => {
  const ends: string[] = []
  const queue = createBatchQueue<string>({
    run: async (batch) => void ends.push(...batch),
    turnAway: (item, why) => void ends.push(`${item}: ${why}`),
    maxBatch: 1,
    maxWaiting: 2,
    maxWaitMs: 1000,
  })
  queue.addQuietly('first')
  queue.addQuietly('second')
  queue.add('third')
  await queue.idle()
  assert.deepEqual(ends, ['third: too many', 'first', 'second'])
})
