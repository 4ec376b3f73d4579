import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import pg from 'pg'
import { isUnavailable } from '../../src/storage/failure.ts'
import { type Connections, createAbandoned, runAlone } from '../../src/storage/postgres/pool.ts'
import { type Batch, createBatchSender, queryOf } from '../../src/storage/postgres/statement-batch.ts'
import { openTransaction, type PostgresTransaction } from '../../src/storage/postgres/transaction.ts'

interface Fault {
  /** The number of the batch that is not answered with success. */
  at: number
  kind: 'lost' | 'refused'
}

const refusal = () => Object.assign(new pg.DatabaseError('duplicate', 0, 'error'), { code: '23505' })
const tagOf = (text: string) => (text === 'commit' ? 'COMMIT' : 'SELECT 0')

/** A pool with one connection, whose answers come when the scheduler says so, and which fails at one of them. */
function fakePool(s: fc.Scheduler, fault: Fault) {
  const released: unknown[] = []
  let sent = 0
  let isLost = false
  const answer = (batch: Batch, number: number) => {
    if (fault.kind === 'lost') isLost ||= number === fault.at
    if (isLost) return batch.handleError(new Error('Connection terminated unexpectedly'))
    if (number === fault.at) return batch.handleError(refusal())
    for (const { text } of batch.queries) batch.handleCommandComplete({ text: tagOf(text) })
    batch.handleReadyForQuery()
  }
  const client = {
    query(batch: Batch) {
      const number = sent++
      void s.schedule(Promise.resolve(), `answer ${number}`).then(() => answer(batch, number))
    },
    release: (destroy: unknown) => void released.push(destroy),
  }
  const pool = { connect: async () => client }
  return {
    connections: { pool, send: createBatchSender(), abandoned: createAbandoned() } as unknown as Connections,
    released,
  }
}

/** As `Database.transaction` does it. */
async function transact(connections: Connections, work: (open: PostgresTransaction) => Promise<unknown>) {
  const open = await openTransaction(connections)
  try {
    await work(open)
    await open.commit()
  } catch {
    await open.rollback()
  } finally {
    open.release()
  }
}

/** Runs everything that is scheduled, and what follows from it. */
async function runAll(s: fc.Scheduler): Promise<void> {
  for (let idle = 0; idle < 5;) {
    if (s.count() > 0) await s.waitOne()
    idle = s.count() > 0 ? 0 : idle + 1
    await setImmediate()
  }
}

test('every statement of a transaction is settled and its connection given back, whenever the connection is lost', async () => {
  const faults = fc.record({ at: fc.nat(5), kind: fc.constantFrom('lost', 'refused') })
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      faults,
      fc.integer({ min: 1, max: 6 }),
      fc.boolean(),
      async (s, fault, count, waitsForAll) => {
        const { connections, released } = fakePool(s, fault)
        let settled = 0
        let isOver = false
        const statement = async (open: PostgresTransaction, number: number) => {
          await s.schedule(Promise.resolve(), `statement ${number}`)
          await open.run(queryOf(`select ${number}`, [])).finally(() => settled++)
        }
        void transact(connections, async (open) => {
          const statements = Array.from({ length: count }, (_, number) => statement(open, number))
          // Work may wait for the first failure, or for all statements.
          if (waitsForAll) await Promise.allSettled(statements)
          await Promise.all(statements)
        }).finally(() => (isOver = true))
        await runAll(s)
        assert.equal(settled, count)
        assert.equal(isOver, true)
        assert.equal(released.length, 1)
      },
    ),
  )
})

/** A pool with one connection, of which the answers are given. */
function answeringPool(answers: ((batch: Batch) => void)[]) {
  const released: unknown[] = []
  const client = {
    query: (batch: Batch) => answers.shift()?.(batch),
    release: (destroy: unknown) => void released.push(destroy),
  }
  return {
    connections: { pool: { connect: async () => client }, send: createBatchSender() } as unknown as Connections,
    released,
  }
}

const succeed = (batch: Batch) => {
  for (const { text } of batch.queries) batch.handleCommandComplete({ text: tagOf(text) })
  batch.handleReadyForQuery()
}

test('a connection whose rollback is not answered with success is closed, whatever the answer is', async () => {
  for (const code of ['XX000', '08P01', '57014']) {
    const failure = Object.assign(new pg.DatabaseError('unknown', 0, 'error'), { code })
    const { connections, released } = answeringPool([succeed, (batch) => batch.handleError(failure)])
    await transact(connections, async (open) => {
      await open.run(queryOf('select 1', []))
      throw new Error('undone')
    })
    assert.deepEqual(released, [true], code)
  }
})

test('whatever the driver says of a connection means that it is lost, or could not be made', async () => {
  const failures = [
    ...['EPROTO', 'EHOSTDOWN', 'ERR_STREAM_DESTROYED'].map((code) => Object.assign(new Error('write'), { code })),
    new Error('Received unexpected commandComplete message from backend.'),
    // What the driver makes of a message that it does not know.
    new pg.DatabaseError('received invalid response: 78', 4, 'error'),
  ]
  for (const failure of failures) {
    const { connections, released } = answeringPool([(batch) => batch.handleError(failure)])
    await assert.rejects(runAlone(connections, queryOf('select 1', [])), isUnavailable)
    assert.deepEqual(released, [true])
    const pool = { connect: async () => Promise.reject(failure) }
    await assert.rejects(openTransaction({ pool } as unknown as Connections), isUnavailable)
  }
})
