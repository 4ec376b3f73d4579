import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { createPlace, onEachEngine, type Place } from '../support/engines.ts'
import { startReplica, until } from '../support/replicas.ts'
import { sessionOf } from '../support/visitor.ts'
import { figure } from './rounds.ts'
import { createWorld, ENVIRONMENT, passwordOf, type World } from './world.ts'

const PART = 'Moved clock'
const DAY = 24 * 3_600_000
const MINUTE = 60_000
/** Time enough for a busy machine to plan it. */
const SOON_MS = 4000
const SHIFTED_CLOCK = pathToFileURL(join(import.meta.dirname, '../support/shifted-clock.ts')).href

/** The service as it runs on a machine whose clock is so far ahead, or behind. */
const startAt = (t: TestContext, place: Place, offsetMs: number) =>
  startReplica(t, place, {
    environment: { ...ENVIRONMENT, NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`, CLOCK_OFFSET_MS: String(offsetMs) },
  })

/** Runs statements while nobody else has the database open. */
async function query(place: Place, statement: string): Promise<Record<string, unknown>[]> {
  if (place.databaseUrl.startsWith('sqlite:')) {
    const file = new DatabaseSync(place.databaseUrl.slice('sqlite:'.length))
    try {
      return file.prepare(statement).all()
    } finally {
      file.close()
    }
  }
  const client = new pg.Client(place.databaseUrl)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

/** Plans an action for soon by the service's own clock, and waits until it is done: then the service has ticked. */
async function liveThroughATick(world: World, offsetMs: number, email: string): Promise<void> {
  const json = { email, password: passwordOf(email, 0) }
  const registered = await world.demand(201, 'POST', '/api/auth/register', { json })
  const { id } = registered.json<{ user: { id: string } }>().user
  const executeAt = Date.now() + offsetMs + SOON_MS
  await world.asAdmin(200, 'POST', `/api/admin/users/${id}/lifecycle`, { action: 'disable', executeAt })
  const cookie = sessionOf(registered)
  await until(async () => (await world.ask('GET', '/api/auth/me', { cookie })).status === 401, 10_000)
}

onEachEngine('a clock that was wrong', (engine) => {
  test('one start with the clock 400 days ahead and one 400 days behind, and everything runs on time when it is right', async (t) => {
    const place = await createPlace(engine)
    t.after(place.remove)
    let world: World | undefined
    const runOnce = async (offsetMs: number, email: string) => {
      const replica = await startAt(t, place, offsetMs)
      if (world === undefined) world = await createWorld(replica.address)
      else await signInAgain(world, replica.address)
      await liveThroughATick(world, offsetMs, email)
      assert.equal(await replica.stop(), 0)
    }
    await runOnce(400 * DAY, 'ahead@example.com')
    await runOnce(-400 * DAY, 'behind@example.com')
    await query(
      place,
      `insert into passkey_challenges (id, challenge, expires_at, created_at)
        values ('expired', 'x', ${Date.now() - MINUTE}, 0) returning id`,
    )

    await runOnce(0, 'now@example.com')
    figure(t, PART, `${engine}, clock ahead once and behind once`, 'everything on time afterwards')
    assert.deepEqual(await query(place, `select id from passkey_challenges where id = 'expired'`), [])
    for (const job of await query(place, 'select name, next_run_at from background_jobs')) {
      assert.ok(Number(job['next_run_at']) <= Date.now() + MINUTE, `${String(job['name'])} rests until it is due again`)
    }
  })
})

/** The session may have ended by the clock that the service has now. */
async function signInAgain(world: World, address: string): Promise<void> {
  world.address = address
  const json = { email: 'admin@example.com', password: passwordOf('admin@example.com', 0) }
  world.admin.cookie = sessionOf(await world.demand(200, 'POST', '/api/auth/login', { json }))
}
