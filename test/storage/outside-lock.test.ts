import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { StartError } from '../../src/errors.ts'
import { createLogger } from '../../src/platform/http/log.ts'
import { openStorage } from '../../src/storage/open.ts'
import { startApp } from '../support/app.ts'
import { createStorage } from '../support/engines.ts'
import { lockInAnotherProcess } from '../support/other-process.ts'
import { anonymous, signedInPerson } from '../support/people.ts'

/** Far more than a read takes, and less than a write waits for the lock. */
const MAX_READ_MS = 1500
const MAX_REFUSAL_MS = 5000

test('while another process holds the write lock of the SQLite file, reads answer immediately and writes answer 503', async (t) => {
  const app = await startApp(t)
  const person = await signedInPerson(app)
  // The next request of the session would update its time of last use.
  app.clock.advance(120_000)
  const release = await lockInAnotherProcess(t, app.storage.databaseUrl.slice('sqlite:'.length))

  const sentAt = performance.now()
  const write = person.patch('/api/account/profile', { displayName: 'Waiting' })
  const timed = write.then((response) => ({ response, ms: performance.now() - sentAt }))
  for (const url of ['/healthz', '/readyz', '/ssh/krl', '/api/auth/me', '/api/account/profile', '/api/notifications']) {
    const startedAt = performance.now()
    assert.equal((await person.get(url)).statusCode, 200, url)
    assert.ok(
      performance.now() - startedAt < MAX_READ_MS,
      `${url} took ${Math.round(performance.now() - startedAt)} ms`,
    )
  }
  const { response, ms } = await timed
  assert.equal(response.statusCode, 503, response.body)
  assert.ok(Number(response.headers['retry-after']) > 0)
  assert.ok(ms < MAX_REFUSAL_MS, `The refusal took ${Math.round(ms)} ms`)

  const waiting = person.patch('/api/account/profile', { displayName: 'Ada' })
  await release()
  assert.equal((await waiting).statusCode, 200)
  assert.equal((await person.get('/api/account/profile')).json().displayName, 'Ada')
})

test('a start on a SQLite file that another process has locked fails with one line', async (t) => {
  const storage = await createStorage('sqlite')
  t.after(storage.remove)
  const open = () => openStorage(storage.databaseUrl, createLogger('silent'), 0)
  await (await open()).close()
  const release = await lockInAnotherProcess(t, storage.databaseUrl.slice('sqlite:'.length))
  await assert.rejects(
    open(),
    (error) => error instanceof StartError && /locked by another program/.test(error.message),
  )
  await release()
  await (await open()).close()
})

test('raw selects, /readyz and the overview neither wait for a transaction on SQLite nor block one', async (t) => {
  const app = await startApp(t)
  const admin = await signedInPerson(app, { admin: true })
  const { db } = app.services
  await db.transaction(async (trx) => {
    await trx.insertInto('background_jobs').values({ name: 'unfinished', next_run_at: 0 }).execute()
    const { rows } = await sql<{ one: number }>`select 1 as one`.execute(db.read)
    assert.deepEqual(rows, [{ one: 1 }])
    assert.equal((await anonymous(app).get('/readyz')).statusCode, 200)
    assert.equal((await admin.get('/api/admin/overview')).statusCode, 200)
  })
})
