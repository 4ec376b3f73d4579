import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { keepLogShort } from '../../src/storage/checkpoint.ts'
import { createWriter } from '../../src/storage/group-commit.ts'
import { createMaintenanceThread } from '../../src/storage/maintenance.ts'

const MAX_WAIT_MS = 30_000

test('another thread keeps the write-ahead log of SQLite short during continuous writes', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-checkpoint-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'test.db')
  const connection = new DatabaseSync(file)
  connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 1000000')
  connection.exec('CREATE TABLE pages (n INTEGER PRIMARY KEY, content BLOB)')
  const writer = createWriter(connection, (error) => error)
  const thread = createMaintenanceThread({ file, maxLockWaitMs: 0 })
  const stop = keepLogShort(connection, writer, thread)
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
