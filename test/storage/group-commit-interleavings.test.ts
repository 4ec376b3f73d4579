import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { StorageFailure } from '../../src/storage/failure.ts'
import { createWriter } from '../../src/storage/sqlite/group-commit.ts'
import { mockPerformanceClock } from '../support/mocked-clock.ts'

const MAX_TRANSACTION_MS = 1000
const MAX_LOCK_WAIT_MS = 500

/** What may happen while writes are committed, each at any moment of it. */
type Step =
  | { does: 'write'; fails: 'never' | 'alone' | 'with its batch' }
  | { does: 'transaction'; rows: number; ends: 'committed' | 'undone' | 'never' }
  | { does: 'lock' | 'unlock' | 'fail the next commit' | 'refuse' | 'accept' | 'run alone' }
  | { does: 'let time pass'; milliseconds: number }

const does = <D extends Step['does']>(...what: D[]) => fc.constantFrom(...what)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      does: does('write'),
      fails: fc.constantFrom('never' as const, 'never' as const, 'alone' as const, 'with its batch' as const),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      does: does('transaction'),
      rows: fc.integer({ min: 0, max: 3 }),
      ends: fc.constantFrom('committed' as const, 'committed' as const, 'undone' as const, 'never' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ does: does('lock', 'unlock', 'fail the next commit', 'refuse', 'accept', 'run alone') }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ does: does('let time pass'), milliseconds: fc.constantFrom(10, 100, 500, 1000) }),
  },
)

interface Write {
  rows: number[]
  mustFail: boolean
  outcome?: 'acknowledged' | 'failed'
}

/** A writer on a file that fails when the steps say so, and what became of each write. */
function createModel(t: TestContext, s: fc.Scheduler, file: string) {
  t.mock.timers.reset()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const clock = mockPerformanceClock(t)
  const connection = new DatabaseSync(file)
  const reader = new DatabaseSync(file, { readOnly: true })
  connection.exec('DELETE FROM numbers')
  const insert = connection.prepare('INSERT INTO numbers (n) VALUES (?)')
  const select = reader.prepare('SELECT n FROM numbers ORDER BY rowid')
  const stored = () => select.all().map(({ n }) => Number(n))
  let [isLocked, failsNextCommit, isRefused] = [false, false, false]
  const exec = connection.exec.bind(connection)
  connection.exec = (sql: string) => {
    if (sql === 'BEGIN IMMEDIATE' && isLocked) throw Object.assign(new Error('database is locked'), { errcode: 5 })
    if (sql === 'COMMIT' && failsNextCommit) {
      failsNextCommit = false
      throw new Error('disk I/O error')
    }
    exec(sql)
  }
  const writer = createWriter(connection, (error) => error, {
    maxTransactionMs: MAX_TRANSACTION_MS,
    maxLockWaitMs: MAX_LOCK_WAIT_MS,
    failure: () => (isRefused ? new StorageFailure('unwritable', 'refused') : undefined),
  })

  const writes: Write[] = []
  const violations: string[] = []
  const check = (holds: boolean, rule: string) => void (holds || violations.push(rule))
  let lastNumber = 0
  const follow = (write: Write, work: Promise<unknown>) => {
    writes.push(write)
    const settle = (outcome: NonNullable<Write['outcome']>) => {
      check(write.outcome === undefined, 'each is settled once')
      write.outcome = outcome
      if (outcome === 'failed') return
      const found = new Set(stored())
      check(
        write.rows.every((row) => found.has(row)),
        'what is acknowledged is seen by others',
      )
    }
    void work.then(
      () => settle('acknowledged'),
      () => settle('failed'),
    )
  }
  const transact = async ({ rows, ends }: Step & { does: 'transaction' }, write: Write): Promise<void> => {
    const transaction = await writer.begin()
    for (let number = 0; number < rows; number++) {
      await s.schedule(Promise.resolve(), 'statement')
      if (!transaction.isOpen) break
      check(connection.isTransaction, 'a transaction that is open has the connection')
      write.rows.push(++lastNumber)
      insert.run(lastNumber)
    }
    await s.schedule(Promise.resolve(), 'end')
    if (ends === 'committed') return transaction.commit()
    if (ends === 'undone') transaction.rollback()
    // Its time limit undoes it.
    else while (transaction.isOpen) await setImmediate()
    throw new Error('It was not committed.')
  }
  const writeOne = (fails: 'never' | 'alone' | 'with its batch', { rows }: Write) =>
    writer.write(() => {
      if (fails === 'alone') throw new Error(fails)
      rows.push(++lastNumber)
      insert.run(lastNumber)
      if (fails === 'never') return
      // As SQLite does when the disk is full.
      exec('ROLLBACK')
      throw new Error(fails)
    })
  const letPass = (milliseconds: number) => {
    clock.now += milliseconds
    t.mock.timers.tick(milliseconds)
  }
  return {
    writes,
    violations,
    stored,
    writer,
    letPass,
    run(each: Step): void {
      const write: Write = { rows: [], mustFail: false }
      if (each.does === 'write') follow({ ...write, mustFail: each.fails !== 'never' }, writeOne(each.fails, write))
      else if (each.does === 'transaction')
        follow(Object.assign(write, { mustFail: each.ends !== 'committed' }), transact(each, write))
      else if (each.does === 'let time pass') letPass(each.milliseconds)
      else if (each.does === 'fail the next commit') failsNextCommit = true
      else if (each.does === 'run alone')
        void writer.between(async () => {
          check(!connection.isTransaction, 'nothing is open between two batches')
          await s.schedule(Promise.resolve(), 'alone')
          check(!connection.isTransaction, 'nothing begins meanwhile')
        })
      else if (each.does === 'lock' || each.does === 'unlock') isLocked = each.does === 'lock'
      else isRefused = each.does === 'refuse'
    },
    mend() {
      isLocked = isRefused = failsNextCommit = false
    },
    close() {
      connection.close()
      reader.close()
    },
  }
}

function ended(work: Promise<unknown>): () => boolean {
  let hasEnded = false
  void work.then(() => (hasEnded = true))
  return () => hasEnded
}

/** Runs everything that is scheduled, and what follows from it. */
async function runAll(s: fc.Scheduler): Promise<void> {
  for (let idle = 0; idle < 4;) {
    if (s.count() > 0) await s.waitOne()
    await setImmediate()
    idle = s.count() > 0 ? 0 : idle + 1
  }
}

test('what is acknowledged is stored, all of it and in order, and what fails is not, in every order of writes, locks, failures and time limits', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-writer-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'test.db')
  const setUp = new DatabaseSync(file)
  setUp.exec('PRAGMA journal_mode = WAL; CREATE TABLE numbers (n INTEGER PRIMARY KEY AUTOINCREMENT)')
  setUp.close()
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(step, { maxLength: 20 }), async (s, steps) => {
      const model = createModel(t, s, file)
      s.scheduleSequence(steps.map((each) => ({ label: each.does, builder: async () => model.run(each) })))
      await runAll(s)
      model.mend()
      // Each transaction that never ends is undone after its time, one after the other.
      const hasDrained = ended(model.writer.drained())
      for (let at = 0; at <= 2 * steps.length && !hasDrained(); at++) {
        model.letPass(MAX_TRANSACTION_MS)
        await runAll(s)
      }
      assert.ok(hasDrained())
      assert.deepEqual(model.violations, [])
      const acknowledged = model.writes.filter(({ outcome }) => outcome === 'acknowledged')
      assert.ok(
        model.writes.every(({ outcome }) => outcome !== undefined),
        'each is settled',
      )
      assert.ok(acknowledged.every(({ mustFail }) => !mustFail))
      assert.deepEqual(
        model.stored(),
        acknowledged.flatMap(({ rows }) => rows),
      )
      model.close()
    }),
    { numRuns: 150 },
  )
})
