import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { isUnavailable } from '../../src/storage/failure.ts'
import { type Connections, runAlone } from '../../src/storage/postgres/pool.ts'
import { type Batch, createBatchSender, queryOf } from '../../src/storage/postgres/statement-batch.ts'
import { openTransaction, type PostgresTransaction, transact } from '../../src/storage/postgres/transaction.ts'

const tagOf = (text: string) => (text === 'commit' ? 'COMMIT' : 'SELECT 0')

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
    const work = async (open: PostgresTransaction) => {
      await open.run(queryOf('select 1', []))
      throw new Error('undone')
    }
    await assert.rejects(transact({ first: connections, patient: connections }, work), /undone/)
    assert.deepEqual(released, [true], code)
  }
})

test('a transaction that could not begin is not committed, also when its work goes on', async () => {
  const failure = Object.assign(new pg.DatabaseError('unknown', 0, 'error'), { code: '53200' })
  const { connections } = answeringPool([(batch) => batch.handleError(failure)])
  const work = async (open: PostgresTransaction) => {
    await assert.rejects(open.run(queryOf('select 1', [])))
    open.runNext(queryOf('select 2', []))
  }
  await assert.rejects(transact({ first: connections, patient: connections }, work), isUnavailable)
})

test('rows that can not be read are not handed out, also when an error follows', async () => {
  const failure = Object.assign(new pg.DatabaseError('unknown', 0, 'error'), { code: '57014' })
  const answerBoth = (end: (batch: Batch) => void) => (batch: Batch) => {
    batch.handleCommandComplete({ text: 'BEGIN' })
    batch.handleCommandComplete({ text: 'SELECT 0' })
    // A truth value of PostgreSQL, announced as JSON.
    batch.handleRowDescription({ fields: [{ name: 'id', dataTypeID: pg.types.builtins.JSON }] })
    batch.handleDataRow({ fields: ['t'] })
    batch.handleCommandComplete({ text: 'SELECT 1' })
    end(batch)
  }
  const succeedAtEnd = (batch: Batch) => {
    batch.handleCommandComplete({ text: 'SELECT 0' })
    batch.handleReadyForQuery()
  }
  for (const end of [succeedAtEnd, (batch: Batch) => batch.handleError(failure)]) {
    const { connections, released } = answeringPool([answerBoth(end)])
    const work = async (open: PostgresTransaction) => {
      const texts = ['select 1', 'select 2', 'select 3']
      const [readable, ...others] = await Promise.allSettled(texts.map((text) => open.run(queryOf(text, []))))
      assert.equal(readable?.status, 'fulfilled')
      assert.deepEqual(
        others.map(({ status }) => status),
        ['rejected', 'rejected'],
      )
    }
    await assert.rejects(transact({ first: connections, patient: connections }, work), isUnavailable)
    assert.deepEqual(released, [true], 'the connection is closed')
  }
})

test('a transaction is not committed without a statement that found no place in its queue', async () => {
  const { connections } = answeringPool([
    (batch) => setImmediate(() => succeed(batch)),
    ...Array.from({ length: 20 }, () => succeed),
  ])
  const work = async (open: PostgresTransaction) => {
    const first = open.run(queryOf('select 1', []))
    await new Promise(process.nextTick)
    // While the first is on its way.
    const second = open.run(queryOf('select 2', []))
    for (let number = 0; number < 10_000; number++) open.runNext(queryOf('select 3', []))
    await Promise.all([first, second])
  }
  await assert.rejects(transact({ first: connections, patient: connections }, work), isUnavailable)
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
