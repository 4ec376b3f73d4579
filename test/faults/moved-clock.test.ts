import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { createStorage, onEachEngine, type TestStorage } from '../support/engines.ts'
import { sessionOf } from '../support/http-client.ts'
import { startReplica, until } from '../support/replicas.ts'
import { createInstallation, ENVIRONMENT, passwordOf, type Installation } from './installation.ts'
import { figure } from './run-options.ts'

const PART = 'Wrong clock'
const DAY_MS = 24 * 3_600_000
const MINUTE_MS = 60_000
/** Enough time for a busy machine to schedule the action. */
const SOON_MS = 4000
const SHIFTED_CLOCK = pathToFileURL(join(import.meta.dirname, '../support/shifted-clock.ts')).href

/** Starts the service with a clock that is ahead or behind by the offset. */
const startWithOffset = (t: TestContext, storage: TestStorage, offsetMs: number) =>
  startReplica(t, storage, {
    environment: { ...ENVIRONMENT, NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`, CLOCK_OFFSET_MS: String(offsetMs) },
  })

/** Runs a statement while no replica is running. */
async function query(storage: TestStorage, statement: string): Promise<Record<string, unknown>[]> {
  if (storage.databaseUrl.startsWith('sqlite:')) {
    const file = new DatabaseSync(storage.databaseUrl.slice('sqlite:'.length))
    try {
      return file.prepare(statement).all()
    } finally {
      file.close()
    }
  }
  const client = new pg.Client(storage.databaseUrl)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

/** Schedules an action by the clock of the service. */
async function plan(installation: Installation, offsetMs: number, email: string): Promise<string> {
  const json = { email, password: passwordOf(email, 0) }
  const registered = await installation.expectStatus(201, 'POST', '/api/auth/register', { json })
  const { id } = registered.json<{ user: { id: string } }>().user
  const executeAt = Date.now() + offsetMs + SOON_MS
  await installation.asAdmin(200, 'POST', `/api/admin/users/${id}/lifecycle`, { action: 'disable', executeAt })
  return sessionOf(registered)
}

onEachEngine('a wrong clock', (engine) => {
  test('after one start with the clock 400 days ahead and one 400 days behind, all background jobs run on time with the correct clock', async (t) => {
    const storage = await createStorage(engine)
    t.after(storage.remove)
    let installation: Installation | undefined
    const runOnce = async (offsetMs: number, email: string) => {
      const replica = await startWithOffset(t, storage, offsetMs)
      if (installation === undefined) installation = await createInstallation(replica.address)
      else await signInAgain(installation, replica.address)
      const { send } = installation
      const cookie = await plan(installation, offsetMs, email)
      if (engine === 'postgres' && offsetMs !== 0) {
        // The clock of the server is another one: the replica is not ready, and leaves background jobs to others.
        await until(async () => (await send('GET', '/readyz')).status === 503)
      } else {
        // It is carried out, which shows that background jobs run.
        await until(async () => (await send('GET', '/api/auth/me', { cookie })).status === 401, 10_000)
      }
      assert.equal(await replica.stop(), 0)
    }
    await runOnce(400 * DAY_MS, 'ahead@example.com')
    await runOnce(-400 * DAY_MS, 'behind@example.com')
    await query(
      storage,
      `insert into passkey_challenges (id, challenge, expires_at, created_at)
        values ('expired', 'x', ${Date.now() - MINUTE_MS}, 0) returning id`,
    )

    await runOnce(0, 'now@example.com')
    figure(t, PART, `${engine}, clock ahead once and behind once`, 'everything on time afterwards')
    assert.deepEqual(await query(storage, `select id from passkey_challenges where id = 'expired'`), [])
    for (const job of await query(storage, 'select name, next_run_at from background_jobs')) {
      assert.ok(Number(job['next_run_at']) <= Date.now() + MINUTE_MS, `${String(job['name'])} is not delayed`)
    }
  })
})

/** Needed because the session may have expired by the current clock of the service. */
async function signInAgain(installation: Installation, address: string): Promise<void> {
  installation.address = address
  const json = { email: 'admin@example.com', password: passwordOf('admin@example.com', 0) }
  installation.admin.cookie = sessionOf(await installation.expectStatus(200, 'POST', '/api/auth/login', { json }))
}
