import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { StartError } from '../../src/errors.ts'
import { createLogger } from '../../src/http/log.ts'
import { openStorage } from '../../src/storage/open.ts'
import { startApp } from '../support/app.ts'
import { createPlace } from '../support/engines.ts'
import { lockFromOutside } from '../support/outside-process.ts'
import { anonymous, signedInPerson } from '../support/people.ts'

/** Far more than a read takes, and less than a write waits for the lock. */
const AT_ONCE_MS = 1500
const NO_LONGER_THAN_MS = 5000

test('while another process holds the write lock of the SQLite file, reads answer at once and writes get 503', async (t) => {
  const app = await startApp(t)
  const person = await signedInPerson(app)
  // The next request of the session wants to write down that it came.
  app.clock.advance(120_000)
  const release = await lockFromOutside(t, app.place.databaseUrl.slice('sqlite:'.length))

  const asked = performance.now()
  const write = person.patch('/api/account/profile', { displayName: 'Waiting' })
  const timed = write.then((response) => ({ response, ms: performance.now() - asked }))
  for (const url of ['/healthz', '/readyz', '/ssh/krl', '/api/auth/me', '/api/account/profile', '/api/notifications']) {
    const begun = performance.now()
    assert.equal((await person.get(url)).statusCode, 200, url)
    assert.ok(performance.now() - begun < AT_ONCE_MS, `${url} took ${Math.round(performance.now() - begun)} ms`)
  }
  const { response, ms } = await timed
  assert.equal(response.statusCode, 503, response.body)
  assert.ok(Number(response.headers['retry-after']) > 0)
  assert.ok(ms < NO_LONGER_THAN_MS, `The refusal took ${Math.round(ms)} ms`)

  const waiting = person.patch('/api/account/profile', { displayName: 'Ada' })
  await release()
  assert.equal((await waiting).statusCode, 200)
  assert.equal((await person.get('/api/account/profile')).json().displayName, 'Ada')
})

test('a start on a SQLite file that another process has locked is one clear line', async (t) => {
  const place = await createPlace('sqlite')
  t.after(place.remove)
  const open = () => openStorage(place.databaseUrl, createLogger('silent'), 0)
  await (await open()).close()
  const release = await lockFromOutside(t, place.databaseUrl.slice('sqlite:'.length))
  await assert.rejects(
    open(),
    (error) => error instanceof StartError && /locked by another program/.test(error.message),
  )
  await release()
  await (await open()).close()
})

test('a select that is written as text, readiness and the overview wait for no transaction on SQLite, and keep none waiting', async (t) => {
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
