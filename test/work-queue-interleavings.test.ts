import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import fc from 'fast-check'
import { createWorkQueue } from '../src/work-queue.ts'

const MAX_WAIT_MS = 100
const KEYS = ['a', 'b', 'c']

/** What may happen while work runs, each at any moment of it. */
type Step = { does: 'run'; key: string; fails: 'never' | 'alone' | 'with those behind' } | { does: 'let time pass' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('run' as const),
      key: fc.constantFrom(...KEYS),
      fails: fc.constantFrom('never' as const, 'never' as const, 'alone' as const, 'with those behind' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ does: 'let time pass' as const }) },
)
const bounds = fc.record({
  atOnce: fc.constantFrom(1, 2, 3, Infinity),
  atOncePerKey: fc.constantFrom(1, 2, Infinity),
  maxWaiting: fc.integer({ min: 1, max: 6 }),
  maxWaitingPerKey: fc.integer({ min: 1, max: 4 }),
})
type Bounds = typeof bounds extends fc.Arbitrary<infer B> ? B : never

class Refused extends Error {}
class Behind extends Error {}
class Failed extends Error {
  readonly isForAll: boolean
  constructor(isForAll: boolean) {
    super('failed')
    this.isForAll = isForAll
  }
}

interface Piece {
  key: string
  queuedAt: number
  /** Which of all that were started it was. */
  started?: number
  /** How many times another key started something while it was the first of its key that waited. */
  overtaken: Map<string, number>
  outcome?: unknown
}

function createModel(t: TestContext, s: fc.Scheduler, limits: Bounds) {
  t.mock.timers.reset()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let now = 0
  let started = 0
  const pieces: Piece[] = []
  const running: Piece[] = []
  const violations: string[] = []
  const check = (holds: boolean, rule: string) => void (holds || violations.push(rule))
  const queue = createWorkQueue({
    ...limits,
    maxWaitMs: MAX_WAIT_MS,
    refusedFor: (reason) => new Refused(reason),
    failureBehind: (error) => (error instanceof Failed && error.isForAll ? new Behind() : undefined),
  })
  const waiting = () => pieces.filter((piece) => piece.started === undefined && piece.outcome === undefined)
  const begin = (piece: Piece) => {
    const others = waiting().filter(({ key }) => key !== piece.key)
    for (const key of KEYS) {
      const first = others.find((other) => other.key === key)
      first?.overtaken.set(piece.key, (first.overtaken.get(piece.key) ?? 0) + 1)
    }
    const next = waiting().find(({ key }) => key === piece.key)
    check(next === piece, 'work of one key starts in the order in which it came')
    piece.started = started++
    running.push(piece)
    check(running.length <= limits.atOnce, 'not more at once')
    check(running.filter(({ key }) => key === piece.key).length <= limits.atOncePerKey, 'not more of one key at once')
  }
  return {
    queue,
    pieces,
    violations,
    waiting,
    run({ key, fails }: Step & { does: 'run' }) {
      const piece: Piece = { key, queuedAt: now, overtaken: new Map() }
      pieces.push(piece)
      const work = async () => {
        begin(piece)
        await s.schedule(Promise.resolve(), `work of ${key}`)
        running.splice(running.indexOf(piece), 1)
        if (fails !== 'never') throw new Failed(fails === 'with those behind')
      }
      const settle = (outcome: unknown) => {
        check(piece.outcome === undefined, 'each is settled once')
        piece.outcome = outcome
      }
      void queue.run(key, work).then(() => settle('done'), settle)
    },
    letTimePass() {
      now += MAX_WAIT_MS
      t.mock.timers.tick(MAX_WAIT_MS)
    },
  }
}

test('work is started once or refused, within all limits and in order, and no key is remembered when its work is over', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(step, { maxLength: 25 }), bounds, async (s, steps, limits) => {
      const model = createModel(t, s, limits)
      const { queue, pieces, violations } = model
      const run = async (each: Step): Promise<void> => {
        if (each.does === 'run') model.run(each)
        else model.letTimePass()
        assert.ok(model.waiting().length <= limits.maxWaiting + 1)
      }
      s.scheduleSequence(steps.map((each) => ({ label: each.does, builder: () => run(each) })))
      await s.waitIdle()
      assert.deepEqual(violations, [])
      for (const { started, outcome } of pieces) {
        assert.notEqual(outcome, undefined, 'each is settled')
        const wasStarted = outcome === 'done' || outcome instanceof Failed
        assert.equal(started !== undefined, wasStarted, 'what is refused was not started')
      }
      for (const key of KEYS) assert.equal(queue.isBusy(key), false)
    }),
    { numRuns: 500 },
  )
})

test('while something of a key waits for nothing but a place, no other key starts more than one piece of work', async (t) => {
  const runs = fc.array(fc.constantFrom(...KEYS), { minLength: 4, maxLength: 25 })
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), runs, async (s, keys) => {
      const limits = { atOnce: 1, atOncePerKey: Infinity, maxWaiting: 100, maxWaitingPerKey: 100 }
      const model = createModel(t, s, limits)
      s.scheduleSequence(
        keys.map((key) => ({ label: key, builder: async () => model.run({ does: 'run', key, fails: 'never' }) })),
      )
      await s.waitIdle()
      for (const { overtaken } of model.pieces)
        for (const [key, times] of overtaken) assert.ok(times <= 1, `${key} has started ${times}`)
    }),
    { numRuns: 200 },
  )
})

test('whatever runs, nothing waits for longer than it may', async (t) => {
  const runs = fc.array(fc.constantFrom(...KEYS), { maxLength: 15 })
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), runs, bounds, async (s, keys, limits) => {
      const model = createModel(t, s, limits)
      for (const key of keys) model.run({ does: 'run', key, fails: 'never' })
      await Promise.resolve()
      model.letTimePass()
      await new Promise(setImmediate)
      assert.deepEqual(model.waiting(), [])
      await s.waitIdle()
      for (const key of KEYS) assert.equal(model.queue.isBusy(key), false)
    }),
    { numRuns: 300 },
  )
})
