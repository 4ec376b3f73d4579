import assert from 'node:assert/strict'
import type { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { createReadTogether } from '../../src/storage/sqlite/read-together.ts'

const MAX_WAIT_MS = 3000

type Step =
  | { does: 'read'; busyFor: number; fails: boolean }
  | { does: 'let time pass'; milliseconds: number }
  | { does: 'end the tick' | 'fail the next commit' | 'close' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('read' as const),
      /** How often SQLite says that somebody has the lock. */
      busyFor: fc.constantFrom(0, 0, 1, 3, Infinity),
      fails: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('let time pass' as const),
      milliseconds: fc.constantFrom(10, 1000, MAX_WAIT_MS),
    }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('end the tick' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constantFrom('fail the next commit' as const, 'close' as const) }),
  },
)

class Busy extends Error {}
class Translated extends Error {}

function createModel(t: TestContext) {
  t.mock.timers.reset()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const violations: string[] = []
  const connection = { isOpen: true, isTransaction: false, exec: (_sql: string) => {} }
  let failsCommit = false
  connection.exec = (sql) => {
    if (!connection.isOpen) throw new Error('database is not open')
    if (sql === 'COMMIT' && failsCommit) {
      failsCommit = false
      throw new Error('disk I/O error')
    }
    if (connection.isTransaction === (sql === 'BEGIN')) violations.push(`${sql} at the wrong moment`)
    connection.isTransaction = sql === 'BEGIN'
  }
  const readTogether = createReadTogether(connection as unknown as DatabaseSync, {
    translate: (error) => new Translated('translated', { cause: error }),
    isBusy: (error) => error instanceof Busy,
  })
  const reads: { busyFor: number; fails: boolean; outcome?: unknown; times: number }[] = []
  return {
    violations,
    reads,
    connection,
    read({ busyFor, fails }: Step & { does: 'read' }): void {
      const read = { busyFor, fails, times: 0 } as (typeof reads)[number]
      reads.push(read)
      const settle = (outcome: unknown) => {
        if (read.outcome !== undefined) violations.push('settled twice')
        read.outcome = outcome
      }
      const run = () => {
        if (!connection.isTransaction) violations.push('read without a transaction')
        if (read.times++ < busyFor) throw new Busy()
        if (fails) throw new Error('no such column')
        return 'rows'
      }
      void readTogether(run).then(settle, settle)
    },
    failCommit: () => (failsCommit = true),
    letPass(milliseconds: number) {
      now += milliseconds
      t.mock.timers.tick(milliseconds)
    },
  }
}

test('each read is answered once, alone in its failure, and is tried again for three seconds while somebody has the lock', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const model = createModel(t)
      const { connection, reads } = model
      const wasDisturbed = steps.some((each) => each.does === 'close' || each.does === 'fail the next commit')
      for (const each of steps) {
        if (each.does === 'read') model.read(each)
        else if (each.does === 'let time pass') model.letPass(each.milliseconds)
        else if (each.does === 'fail the next commit') model.failCommit()
        else if (each.does === 'close') connection.isOpen = false
        else await setImmediate()
        if (each.does === 'end the tick') assert.equal(connection.isTransaction && connection.isOpen, false)
      }
      await setImmediate()
      for (const milliseconds of [10, 10, 10, MAX_WAIT_MS]) {
        model.letPass(milliseconds)
        await setImmediate()
      }
      assert.deepEqual(model.violations, [])
      for (const { busyFor, fails, outcome } of reads) {
        assert.ok(outcome !== undefined, 'each is settled')
        if (outcome === 'rows') assert.ok(busyFor < Infinity && !fails)
        else assert.ok(outcome instanceof Translated)
        if (busyFor === 0 && !wasDisturbed) assert.equal(outcome === 'rows', !fails, 'nothing else makes it fail')
      }
    }),
    { numRuns: 300 },
  )
})
