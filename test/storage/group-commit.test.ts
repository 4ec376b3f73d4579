import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { isUnavailable } from '../../src/storage/failure.ts'
import { createWriter } from '../../src/storage/sqlite/group-commit.ts'

function open(t: TestContext, bounds?: Parameters<typeof createWriter>[2]) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-writer-'))
  const file = join(folder, 'test.db')
  const connection = new DatabaseSync(file)
  connection.exec('PRAGMA journal_mode = WAL; CREATE TABLE numbers (n INTEGER PRIMARY KEY)')
  t.after(() => {
    connection.close()
    rmSync(folder, { recursive: true })
  })
  let commits = 0
  const exec = connection.exec.bind(connection)
  connection.exec = (sql: string) => {
    if (sql === 'COMMIT') commits++
    exec(sql)
  }
  const writer = createWriter(connection, (error) => error, bounds)
  const add = (n: number) => writer.write(() => connection.prepare('INSERT INTO numbers VALUES (?)').run(n))
  const all = () =>
    connection
      .prepare('SELECT n FROM numbers ORDER BY n')
      .all()
      .map(({ n }) => n)
  return { file, connection, writer, add, all, commits: () => commits, exec }
}

test('writes that arrive together are committed together', async (t) => {
  const { add, all, commits } = open(t)
  await Promise.all([1, 2, 3, 4, 5].map(add))
  assert.deepEqual(all(), [1, 2, 3, 4, 5])
  assert.equal(commits(), 1)
})

test('a write resolves only after the commit that contains it', async (t) => {
  const { connection, add } = open(t)
  const pending = add(1)
  let answered = false
  void pending.then(() => (answered = true))
  await Promise.resolve()
  assert.equal(answered, false)
  await pending
  assert.equal(connection.isTransaction, false)
})

test('when a commit fails, all writes of its batch are rejected, and the next batch works', async (t) => {
  const { connection, exec, add, all } = open(t)
  const counting = connection.exec
  connection.exec = (sql: string) => {
    if (sql === 'COMMIT') throw new Error('disk I/O error')
    exec(sql)
  }
  const results = await Promise.allSettled([add(1), add(2)])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  connection.exec = counting
  await add(3)
  assert.deepEqual(all(), [3])
})

test('a transaction that exceeds its time limit is rolled back, and other writes continue', async (t) => {
  const { connection, writer, add, all } = open(t, { maxTransactionMs: 50 })
  const stuck = await writer.begin()
  connection.prepare('INSERT INTO numbers VALUES (1)').run()
  await add(2)
  assert.equal(stuck.isOpen, false)
  await assert.rejects(stuck.commit(), isUnavailable)
  assert.deepEqual(all(), [2])
})

test('a transaction that is rolled back does not affect the rest of its batch, whatever its position', async (t) => {
  const { connection, writer, add, all, commits } = open(t)
  const change = async (n: number, keep: boolean): Promise<void> => {
    const transaction = await writer.begin()
    connection.prepare('INSERT INTO numbers VALUES (?)').run(n)
    if (keep) await transaction.commit()
    else transaction.rollback()
  }
  await Promise.all([change(1, false), add(2), change(3, false), change(4, true), add(5)])
  assert.deepEqual(all(), [2, 4, 5])
  await Promise.all([change(6, true), change(7, false), add(2).catch(() => {}), change(8, true)])
  assert.deepEqual(all(), [2, 4, 5, 6, 8])
  assert.equal(commits(), 2)
})

/** Holds the write lock on another connection, as another process would, until it is released. */
function lockFile(t: TestContext, file: string): () => void {
  const other = new DatabaseSync(file)
  t.after(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  return () => other.exec('ROLLBACK')
}

test('while another connection holds the write lock, writes wait in order without blocking the event loop', async (t) => {
  const { file, connection, writer, add, all } = open(t)
  const release = lockFile(t, file)
  const pending = [add(1), writer.begin().then((transaction) => transaction.commit()), add(2)]
  let ticks = 0
  for (const end = performance.now() + 60; performance.now() < end; ticks++) await new Promise(setImmediate)
  assert.ok(ticks > 10, 'the event loop is not blocked')
  assert.equal(connection.isTransaction, false)
  release()
  await Promise.all(pending)
  assert.deepEqual(all(), [1, 2])
})

test('a write that waits too long for the write lock is rejected, and the next write works', async (t) => {
  const { file, writer, add, all } = open(t, { maxLockWaitMs: 40 })
  const release = lockFile(t, file)
  const isBusy = (error: unknown) => error instanceof Error && 'errcode' in error && error.errcode === 5
  await Promise.all([assert.rejects(add(1), isBusy), assert.rejects(writer.begin(), isBusy)])
  release()
  await add(2)
  assert.deepEqual(all(), [2])
})

test('if another connection takes the lock in the middle of a batch, the rest of the batch waits and nothing is lost', async (t) => {
  const { file, connection, writer, add, all } = open(t)
  const started = writer.begin()
  const later = [add(2), add(3)]
  const first = await started
  connection.prepare('INSERT INTO numbers VALUES (1)').run()
  first.rollback()
  const release = lockFile(t, file)
  for (const end = performance.now() + 30; performance.now() < end;) await new Promise(setImmediate)
  release()
  await Promise.all(later)
  assert.deepEqual(all(), [2, 3])
})

test('while writes are refused, statements and transactions fail without an effect, and work when they are not refused any more', async (t) => {
  let refused: Error | undefined = new Error('The disk is nearly full.')
  const { writer, add, all, commits } = open(t, { failure: () => refused })
  await assert.rejects(add(1), refused)
  await assert.rejects(writer.begin(), refused)
  assert.equal(commits(), 0)
  refused = undefined
  await add(2)
  assert.deepEqual(all(), [2])
})
