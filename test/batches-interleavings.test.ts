import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { type BatchQueue, createBatchQueue, type TurnedAway } from '../src/batches.ts'

const MAX_BATCH = 3
const MAX_WAITING = 5
const MAX_WAIT_MS = 100

/** What may happen while batches run, each at any moment of what the queue is doing. */
type Step =
  | { does: 'add' | 'add quietly' | 'run alone' | 'take what waits' | 'wait until idle' }
  | { does: 'let time pass'; milliseconds: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ does: fc.constant('add' as const) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('add quietly' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constantFrom('run alone' as const, 'take what waits' as const, 'wait until idle' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('let time pass' as const),
      milliseconds: fc.constantFrom(1, MAX_WAIT_MS / 2, MAX_WAIT_MS, 2 * MAX_WAIT_MS),
    }),
  },
)

interface Item {
  number: number
  isQuiet: boolean
  end?: 'done' | 'taken' | TurnedAway
}

/** A queue whose batches end when the scheduler says so, and return some of their items as often as `again` says. */
function createModel(t: TestContext, s: fc.Scheduler, again: number[], isSoonScheduled = true) {
  t.mock.timers.reset()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let running: 'batch' | 'alone' | undefined
  let lastDone = -1
  const items: Item[] = []
  const violations: string[] = []
  const check = (holds: boolean, rule: string) => void (holds || violations.push(rule))
  const settle = (item: Item, end: NonNullable<Item['end']>) => {
    check(item.end === undefined, 'each is settled once')
    item.end = end
  }
  const start = (what: 'batch' | 'alone') => {
    check(running === undefined, 'one runs at a time')
    running = what
  }
  const queue: BatchQueue<Item> = createBatchQueue<Item>({
    async run(batch) {
      start('batch')
      check(batch.length > 0 && batch.length <= MAX_BATCH, 'a batch is neither empty nor too large')
      check(batch.some(({ isQuiet }) => !isQuiet) || queue.waiting() > 0, 'quiet ones alone begin no batch')
      await s.schedule(Promise.resolve(), 'batch')
      running = undefined
      const unrun = batch.splice(batch.length - Math.min(again.shift() ?? 0, batch.length))
      for (const item of batch) {
        settle(item, 'done')
        check(item.number > lastDone, 'they run in order')
        lastDone = item.number
      }
      // Whatever comes back is run, whether others come or not.
      for (const item of unrun) item.isQuiet = false
      return unrun
    },
    turnAway(item, why) {
      settle(item, why)
      // One that finds no place lets those go that came quietly.
      if (!item.isQuiet) for (const each of items) each.isQuiet &&= each.end !== undefined
    },
    maxBatch: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
    soon: (task) => void (isSoonScheduled ? s.schedule(Promise.resolve(), 'soon') : Promise.resolve()).then(task),
  })
  const add = (isQuiet: boolean) => {
    const item: Item = { number: items.length, isQuiet }
    items.push(item)
    if (isQuiet) queue.addQuietly(item)
    else queue.add(item)
  }
  return {
    queue,
    items,
    violations,
    add,
    runAlone: () =>
      queue.between(async () => {
        start('alone')
        await s.schedule(Promise.resolve(), 'alone')
        running = undefined
      }),
    takeAll: () => queue.takeWaiting().forEach((item) => settle(item, 'taken')),
    letPass: (milliseconds: number) => t.mock.timers.tick(milliseconds),
  }
}

test('whatever is queued is run once, in order, or turned away in time, and the queue never stops or runs two at once', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(step, { maxLength: 30 }),
      fc.array(fc.nat(MAX_BATCH), { maxLength: 3 }),
      async (s, steps, again) => {
        const model = createModel(t, s, [...again])
        const { queue, items } = model
        let [asked, told] = [0, 0]
        const run = (each: Step) => {
          if (each.does === 'add') model.add(false)
          else if (each.does === 'add quietly') model.add(true)
          else if (each.does === 'run alone') model.runAlone()
          else if (each.does === 'take what waits') model.takeAll()
          else if (each.does === 'let time pass') model.letPass(each.milliseconds)
          else {
            asked++
            void queue.idle().then(() => told++)
          }
          assert.ok(queue.waiting() <= MAX_WAITING + MAX_BATCH)
        }
        s.scheduleSequence(steps.map((each) => ({ label: each.does, builder: async () => run(each) })))
        await s.waitIdle()
        assert.deepEqual(model.violations, [])
        assert.equal(told, asked)
        const left = items.filter(({ end }) => end === undefined)
        assert.ok(
          left.every(({ isQuiet }) => isQuiet),
          'only quiet ones wait for another',
        )
        assert.equal(queue.waiting(), left.length)
        model.add(false)
        await s.waitIdle()
        assert.equal(queue.waiting(), 0)
        assert.ok(items.every(({ end }) => end !== undefined))
      },
    ),
    { numRuns: 500 },
  )
})

test('what waits is turned away when a batch takes too long, and so is what comes until it has ended', async (t) => {
  const more = fc.array(fc.constantFrom('add', 'add quietly', 'run alone', 'end'), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), more, async (s, steps) => {
      const model = createModel(t, s, [], false)
      const { queue, items } = model
      model.add(false)
      await setImmediate()
      for (const each of steps) {
        if (each === 'run alone') model.runAlone()
        else if (each !== 'end') model.add(each === 'add quietly')
        else if (s.count() > 0) await s.waitOne()
        await setImmediate()
      }
      if (s.count() === 0) return
      const waited = queue.waiting()
      model.letPass(MAX_WAIT_MS)
      await setImmediate()
      assert.equal(queue.waiting(), 0)
      assert.equal(items.filter(({ end }) => end === 'too long').length, waited)
      model.add(false)
      assert.equal(items.at(-1)?.end, waited > 0 ? 'too long' : undefined, 'nobody has waited, so that nobody knows it')
      await s.waitIdle()
      model.add(false)
      await setImmediate()
      await s.waitIdle()
      assert.equal(items.at(-1)?.end, 'done')
      assert.deepEqual(model.violations, [])
    }),
    { numRuns: 300 },
  )
})
