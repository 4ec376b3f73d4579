import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { sql } from 'kysely'
import { createLogger } from '../../src/platform/http/log.ts'
import { isUnavailable } from '../../src/storage/failure.ts'
import { openStorage } from '../../src/storage/open.ts'
import { createMaintenanceThread } from '../../src/storage/sqlite/maintenance.ts'
import { createMigratedStorage } from '../support/engines.ts'
import { lockInAnotherProcess } from '../support/other-process.ts'
import { pollDuring } from '../support/poll-during.ts'
import { addRows, deleteBefore, left } from './many-jobs.ts'

async function open(t: TestContext) {
  const storage = await createMigratedStorage('sqlite')
  const { db, close } = await openStorage(storage.databaseUrl, createLogger('silent'), 0, { timeoutFactor: 5 })
  t.after(async () => {
    await close()
    await storage.remove()
  })
  return { db, file: storage.databaseUrl.slice('sqlite:'.length) }
}

test('on SQLite requests are answered while a slice takes long', async (t) => {
  const { db, file } = await open(t)
  await addRows(db, 400)
  runOnce(
    file,
    `create trigger takes_long before delete on background_jobs when old.name = 'job15'
     begin select count(*) from background_jobs a, background_jobs b, background_jobs c where a.name > b.name || c.name; end`,
  )
  const started = performance.now()
  const deleting = deleteBefore(db, 20)
  const times = await pollDuring(deleting, async () => {
    const asked = performance.now()
    await db.read.selectFrom('background_jobs').select('name').limit(1).execute()
    return performance.now() - asked
  })
  assert.equal(await deleting, 20)
  const total = performance.now() - started
  const longest = Math.max(...times)
  assert.ok(longest < total / 4, `a read took ${longest.toFixed()} of ${total.toFixed()} ms`)
})

test('on SQLite a slice that fails is undone, those before it stay deleted, and the next attempt works', async (t) => {
  const { db, file } = await open(t)
  await addRows(db, 40)
  runOnce(
    file,
    `create trigger refuses before delete on background_jobs when old.name = 'job25' begin select raise(abort, 'refused'); end`,
  )
  await assert.rejects(deleteBefore(db, 40), /refused/)
  assert.equal(await left(db), 20)
  runOnce(file, 'drop trigger refuses')
  assert.equal(await deleteBefore(db, 40), 20)
})

test('on SQLite a slice deletes the rows that refer to the deleted ones', async (t) => {
  const { db } = await open(t)
  await db.transaction(async (trx) => {
    await trx
      .insertInto('roles')
      .values({ id: 'team', name: 'Team', description: '', principals: '[]', built_in: 0, created_at: 1 })
      .execute()
    await trx.insertInto('role_permissions').values({ role_id: 'team', permission: 'users:read' }).execute()
  })
  assert.equal(await db.writeInBackground(sql`delete from roles where id = 'team'`), 1)
  const referring = db.read.selectFrom('role_permissions').select('permission').where('role_id', '=', 'team')
  assert.deepEqual(await referring.execute(), [])
})

test('on SQLite a slice waits while another process holds the write lock, and fails as unavailable after a time', async (t) => {
  const { db, file } = await open(t)
  await addRows(db, 20)
  const release = await lockInAnotherProcess(t, file)
  const impatient = createMaintenanceThread({ file, maxLockWaitMs: 100 })
  await assert.rejects(impatient.write('delete from background_jobs', []), isUnavailable)
  await impatient.close()
  const waiting = db.writeInBackground(sql`delete from background_jobs`)
  await release()
  assert.equal(await waiting, 20)
})

test('a thread that can not start fails what waits for it, and the next task starts another', async (t) => {
  const folder = join(mkdtempSync(join(tmpdir(), 'latchkey-slices-')), 'missing')
  t.after(() => rmSync(join(folder, '..'), { recursive: true }))
  const file = join(folder, 'test.db')
  const thread = createMaintenanceThread({ file, maxLockWaitMs: 0 })
  t.after(() => thread.close())
  await assert.rejects(thread.exclusively(() => thread.write('create table later (n)', [])))
  mkdirSync(folder)
  await thread.exclusively(() => thread.write('create table later (n)', []))
  assert.equal(await thread.write('insert into later values (?), (?)', [1, 2]), 2)
})

test('a thread that was closed runs nothing more', async (t) => {
  const { db, file } = await open(t)
  await addRows(db, 1)
  const thread = createMaintenanceThread({ file, maxLockWaitMs: 0 })
  await thread.close()
  await assert.rejects(thread.write('delete from background_jobs', []), isUnavailable)
  assert.equal(await left(db), 1)
})

function runOnce(file: string, statement: string): void {
  const connection = new DatabaseSync(file, { timeout: 5000 })
  connection.exec(statement)
  connection.close()
}
