import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { isUnavailable, StorageFailure } from '../../src/storage/failure.ts'
import { isStale, translate } from '../../src/storage/postgres/errors.ts'
import { createAbandoned, createAlone, type Places } from '../../src/storage/postgres/pool.ts'
import { createSharedReads, createSharedWrites } from '../../src/storage/postgres/shared-connection.ts'
import { transact } from '../../src/storage/postgres/transaction.ts'
import { mockPerformanceClock } from '../support/mocked-clock.ts'
import { addTo, createFakePostgres, type Fault, FAULTS, readOf } from './fake-postgres.ts'

const MAX_SESSION_MS = 1000

/** Work that commits although a statement has failed is a mistake, whose transaction must not be taken for done. */
const ENDS = ['commits', 'fails', 'commits anyway', 'adds another and commits anyway'] as const

type Step =
  | { does: 'add' | 'add alone' | 'read' | 'lock' | 'unlock'; row: string }
  | { does: 'transact'; statements: number; row: string; ends: (typeof ENDS)[number] }
  | { does: 'lose all' }
  | { does: 'let time pass'; milliseconds: number }

const does = <D extends Step['does']>(...what: D[]) => fc.constantFrom(...what)
const row = fc.constantFrom('one', 'other')
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ does: does('add', 'add', 'read', 'read', 'add alone'), row }) },
  {
    weight: 5,
    arbitrary: fc.record({ does: does('transact'), statements: fc.nat(4), row, ends: fc.constantFrom(...ENDS) }),
  },
  { weight: 3, arbitrary: fc.record({ does: does('lock', 'unlock'), row }) },
  { weight: 1, arbitrary: fc.record({ does: does('lose all') }) },
  { weight: 3, arbitrary: fc.record({ does: does('let time pass'), milliseconds: fc.constantFrom(5, 20, 60, 400) }) },
)

/** What was asked for, and what became of it. */
interface Asked {
  ids: string[]
  isRead?: boolean
  outcome?: 'done' | 'refused'
  reason?: unknown
  commits: number
}

/** The part of an engine that runs statements and transactions, on a server that fails when the faults say so. */
function createModel(t: TestContext, s: fc.Scheduler, faults: readonly Fault[]) {
  t.mock.timers.reset()
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const clock = mockPerformanceClock(t)
  const server = createFakePostgres(s, faults)
  const abandoned = createAbandoned()
  const places = (keeps: boolean): Places => {
    const connections = server.connections(keeps ? abandoned : undefined)
    return { first: connections, patient: connections }
  }
  const { createClient, send } = server
  const shared = { createClient, send, timeoutFactor: 1, maxSessionMs: MAX_SESSION_MS }
  const reads = createSharedReads({ ...shared, alone: createAlone(places(false)) })
  const alone = createAlone(places(true))
  const writes = createSharedWrites({ ...shared, alone, abandoned })

  const asked: Asked[] = []
  const violations: string[] = []
  let lastId = 0
  const newId = () => String(++lastId)
  const follow = (about: Asked, work: Promise<unknown>) => {
    asked.push(about)
    const settle = (outcome: NonNullable<Asked['outcome']>, reason?: unknown) => {
      if (about.outcome) violations.push('settled twice')
      Object.assign(about, { outcome, reason })
    }
    void work.then(
      () => settle('done'),
      (reason: unknown) => settle('refused', reason),
    )
  }
  const read = async (id: string, of: string): Promise<void> => {
    const [found] = await reads.run(readOf(id, of))
    // Columns that were added meanwhile may be there or not.
    const expected = Object.fromEntries(Object.keys(found ?? {}).map((name) => [name, name === 'id' ? id : 'x']))
    if (!found || !('id' in found)) violations.push('a read has another row')
    else assert.deepEqual(found, expected)
  }
  const work = async (about: Asked, { statements, row: of, ends }: Step & { does: 'transact' }): Promise<void> => {
    about.ids = Array.from({ length: statements }, newId)
    await transact(places(true), async (open, afterCommit) => {
      afterCommit(() => about.commits++)
      const running = about.ids.map(async (id, at) => {
        if (at % 2 === 1) await s.schedule(Promise.resolve(), 'later statement')
        if (at === 2) open.runNext(addTo(id, of))
        else await open.run(addTo(id, of))
      })
      await (ends.endsWith('anyway') ? Promise.allSettled(running) : Promise.all(running))
      if (ends === 'adds another and commits anyway') {
        const id = newId()
        about.ids.push(id)
        open.runNext(addTo(id, of))
      }
      if (ends === 'fails') throw new Error('on purpose')
    })
  }
  return {
    server,
    asked,
    violations,
    close: () => Promise.all([reads.close(), writes.close()]),
    endAbandoned: abandoned.close,
    letPass(milliseconds: number) {
      clock.now += milliseconds
      t.mock.timers.tick(milliseconds)
    },
    run(each: Step): void {
      const about: Asked = { ids: [newId()], commits: 0 }
      const [id = ''] = about.ids
      if (each.does === 'add') follow(about, writes.run(addTo(id, each.row)))
      else if (each.does === 'add alone') follow(about, alone.run(addTo(id, each.row)))
      else if (each.does === 'read') follow({ ...about, isRead: true }, read(id, each.row))
      else if (each.does === 'transact') follow(about, work(about, each))
      else if (each.does === 'lock') server.locked.add(each.row)
      else if (each.does === 'unlock') server.locked.delete(each.row)
      else if (each.does === 'lose all') server.loseAll()
      else if (each.does === 'let time pass') this.letPass(each.milliseconds)
    },
  }
}

/** Runs everything that is scheduled, and what follows from it. */
async function runAll(s: fc.Scheduler, letPass: (milliseconds: number) => void): Promise<void> {
  for (let idle = 0; idle < 6;) {
    if (s.count() > 0) await s.waitOne()
    await setImmediate()
    idle = s.count() > 0 ? 0 : idle + 1
    // The pause after a deadlock.
    if (idle === 2 || idle === 4) letPass(50)
  }
}

/** All is settled, and nothing was done twice or by halves. */
function checkOutcomes({ server, asked, violations }: ReturnType<typeof createModel>): void {
  assert.deepEqual([...server.violations, ...violations], [])
  for (const { ids, isRead, outcome, reason, commits } of asked) {
    assert.ok(outcome, 'each is settled')
    const counts = new Set(ids.map((id) => server.counters.get(id) ?? 0))
    if (isRead) continue
    assert.ok(counts.size <= 1, 'a transaction is done as a whole')
    for (const count of counts) {
      if (outcome === 'done') assert.equal(count, 1)
      else if (isUnavailable(translate(reason))) assert.ok(count <= 1, 'nothing is done twice')
      else assert.equal(count, 0, 'what is refused is not done')
    }
    assert.ok(commits <= (outcome === 'done' ? 1 : 0))
  }
  const reasons = asked.flatMap(({ reason }) => (reason instanceof StorageFailure ? [reason] : []))
  assert.equal(new Set(reasons).size, reasons.length, 'each has an error of its own')
  assert.equal(server.taken(), 0, 'every connection was given back')
}

const faults = fc.array(fc.constantFrom(...FAULTS), { maxLength: 12 })
const steps = fc.array(step, { maxLength: 15 })

test('statements and transactions are done once or not at all, and settled, in every order of answers, lost connections, locks and the stop', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), steps, faults, async (s, given, badLuck) => {
      const model = createModel(t, s, badLuck)
      s.scheduleSequence(given.map((each) => ({ label: each.does, builder: async () => model.run(each) })))
      await runAll(s, model.letPass)
      let isClosed = false
      void model.close().then(() => (isClosed = true))
      model.endAbandoned()
      await runAll(s, model.letPass)
      assert.ok(isClosed)
      checkOutcomes(model)
    }),
    { numRuns: 300 },
  )
})

test('nothing fails because the server has forgotten what is prepared, or a column was added, at whatever moment', async (t) => {
  const changes = fc.constantFrom('add a column' as const, 'forget' as const)
  const isHarmless = (each: Step) =>
    !['lose all', 'lock'].includes(each.does) && !(each.does === 'transact' && each.ends.endsWith('anyway'))
  const work = steps.map((all) => all.filter(isHarmless))
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), work, changes, async (s, given, change) => {
      const model = createModel(t, s, [])
      const { server, asked } = model
      // What is prepared on the connections that all share.
      model.run({ does: 'add', row: 'one' })
      model.run({ does: 'read', row: 'one' })
      model.run({ does: 'transact', statements: 2, row: 'one', ends: 'commits' })
      await runAll(s, model.letPass)
      s.scheduleSequence(given.map((each) => ({ label: each.does, builder: async () => model.run(each) })))
      void s.schedule(Promise.resolve(), change).then(change === 'forget' ? server.forget : server.addColumn)
      await runAll(s, model.letPass)
      checkOutcomes(model)
      for (const { reason } of asked) {
        assert.ok(!isStale(reason))
        assert.ok(reason === undefined || (reason as Error).message === 'on purpose', String(reason))
      }
      void model.close()
      await runAll(s, model.letPass)
    }),
    { numRuns: 300 },
  )
})
