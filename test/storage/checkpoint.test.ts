import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { pino } from 'pino'
import { connect } from '../../src/storage/sqlite/connection.ts'
import { MAX_IDLE_BYTES } from '../../src/storage/sqlite/connection.ts'
import { createWriter } from '../../src/storage/sqlite/group-commit.ts'
import { keepLogShort } from '../../src/storage/sqlite/keep-log-short.ts'
import { createMaintenanceThread } from '../../src/storage/sqlite/maintenance.ts'

const MAX_WAIT_MS = 30_000
const silent = pino({ level: 'silent' })

test('another thread keeps the write-ahead log of SQLite short during continuous writes', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-checkpoint-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'test.db')
  const connection = new DatabaseSync(file)
  connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 1000000')
  connection.exec('CREATE TABLE pages (n INTEGER PRIMARY KEY, content BLOB)')
  const writer = createWriter(connection, (error) => error)
  const thread = createMaintenanceThread({ file, maxLockWaitMs: 0 })
  const { stop } = keepLogShort(connection, { file, log: silent, writer, thread, reserve: { isShort: () => false } })
  const add = connection.prepare('INSERT INTO pages (content) VALUES (randomblob(40000))')
  const frames = connection.prepare('PRAGMA wal_checkpoint(NOOP)')
  const framesInLog = () => (frames.get() as { log: number }).log

  // The log was restarted if it has fewer frames than before.
  let written = 0
  let restarts = 0
  for (let before = 0, end = performance.now() + MAX_WAIT_MS; restarts < 2 && performance.now() < end; written++) {
    await writer.write(() => add.run())
    const now = framesInLog()
    if (now < before) restarts++
    before = now
  }
  assert.equal(restarts, 2)
  stop()
  await thread.close()
  connection.close()
  const again = new DatabaseSync(file)
  assert.deepEqual({ ...again.prepare('SELECT count(*) AS n FROM pages').get() }, { n: written })
  assert.deepEqual({ ...again.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' })
  again.close()
})

for (const isShort of [false, true]) {
  test(`a log that grew beside a reader is shortened when the reader has ended, without another write${isShort ? ', and a small one too while the disk is nearly full' : ''}`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-checkpoint-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'test.db')
    const connection = new DatabaseSync(file)
    connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0')
    connection.exec('CREATE TABLE pages (n INTEGER PRIMARY KEY, content BLOB)')
    const reader = new DatabaseSync(file, { readOnly: true })
    reader.exec('BEGIN')
    assert.deepEqual(reader.prepare('SELECT n FROM pages').all(), [])
    const writer = createWriter(connection, (error) => error)
    const thread = createMaintenanceThread({ file, maxLockWaitMs: 3000 })
    const keeper = keepLogShort(connection, { file, log: silent, writer, thread, reserve: { isShort: () => isShort } })
    t.after(async () => {
      keeper.stop()
      await thread.close()
      connection.close()
    })
    const add = connection.prepare('INSERT INTO pages (content) VALUES (randomblob(?))')
    const wanted = isShort ? 1 << 20 : MAX_IDLE_BYTES + 1
    while (keeper.bytes() < wanted) await writer.write(() => add.run(400_000))
    const longest = keeper.bytes()
    // Writes go on while the reader keeps the log from being shortened.
    for (let each = 0; each < 20; each++) await writer.write(() => add.run(10))
    assert.ok(keeper.bytes() >= longest)
    reader.exec('ROLLBACK')
    reader.close()
    const end = performance.now() + MAX_WAIT_MS
    while (keeper.bytes() > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20))
    assert.equal(keeper.bytes(), 0)
    assert.ok(statSync(file).size >= wanted / 2)
    await writer.write(() => add.run(10))
  })
}

test('a long log is cut to its usual size when it begins anew, also if the thread that shortens it has failed', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-checkpoint-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'test.db')
  const { connection } = connect(file, false)
  t.after(() => connection.close())
  connection.exec('CREATE TABLE pages (n INTEGER PRIMARY KEY, content BLOB)')
  const add = connection.prepare('INSERT INTO pages (content) VALUES (zeroblob(?))')
  const bytes = () => statSync(`${file}-wal`).size
  while (bytes() <= MAX_IDLE_BYTES) add.run(10 << 20)
  connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
  add.run(10)
  assert.ok(bytes() > 0 && bytes() <= MAX_IDLE_BYTES)
})

test('a log that has become very long is said once, and that it is short again', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-checkpoint-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'test.db')
  const { connection } = connect(file, false)
  connection.exec('CREATE TABLE pages (n INTEGER PRIMARY KEY)')
  const said: string[] = []
  const say = (_: unknown, message?: string) => void said.push(message ?? String(_))
  const thread = createMaintenanceThread({ file, maxLockWaitMs: 0 })
  t.after(async () => {
    await thread.close()
    connection.close()
  })
  t.mock.timers.enable({ apis: ['setInterval'] })
  const log = { warn: say, info: say } as unknown as Parameters<typeof keepLogShort>[1]['log']
  const writer = createWriter(connection, (error) => error)
  const keeper = keepLogShort(connection, { file, log, writer, thread, reserve: { isShort: () => false } })
  t.after(keeper.stop)
  const wal = `${file}-wal`
  const short = statSync(wal).size
  // A transaction of ours keeps it from being shortened here.
  connection.exec('BEGIN')
  truncateSync(wal, 300 << 20)
  for (let each = 0; each < 3; each++) t.mock.timers.tick(500)
  truncateSync(wal, short)
  for (let each = 0; each < 3; each++) t.mock.timers.tick(500)
  connection.exec('ROLLBACK')
  assert.deepEqual(
    said.map((message) => message.split(',')[0]),
    ['The log of SQLite is long', 'The log of SQLite is short again.'],
  )
})
