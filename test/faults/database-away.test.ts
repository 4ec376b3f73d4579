import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { openEventStream } from '../notifications/event-stream.ts'
import { cuttable } from '../support/cuttable.ts'
import { createDatabase, DURABLE, startPostgres } from '../support/postgres.ts'
import { startReplica, until } from '../support/replicas.ts'
import { assertWithin } from '../support/speed.ts'
import { type Answer, ask } from '../support/visitor.ts'
import { assertSoundServer } from './invariants.ts'
import { between, figure, fork, rounds, seededRandom } from './rounds.ts'
import { createTraffic, type Traffic } from './traffic.ts'
import { createWorld, ENVIRONMENT, type World } from './world.ts'

const PART = 'Database away'
const LEAST = 20
const NO_LONGER_THAN_MS = 5000
const BACK_WITHIN_MS = 10_000
/** Whoever waited for the database to plan something must not be told, when it is back, that the time is past. */
const LATER_MS = [NO_LONGER_THAN_MS, NO_LONGER_THAN_MS + 1000] as const
/** An answer that was on its way when the database went may still arrive. */
const ON_ITS_WAY_MS = 300

interface Outage {
  name: string
  /** How long it lasts, at least and at most. */
  ms: [number, number]
  begin(): Promise<void>
  end(): Promise<void>
}

interface Measured {
  longest: number
  back: number
  refused: number
}

async function liveThrough(world: World, traffic: Traffic, outage: Outage, awayMs: number): Promise<Measured> {
  const { attempts } = traffic
  const acknowledge = async (count: number, withinMs?: number) => {
    const before = traffic.acknowledged()
    await until(async () => traffic.acknowledged() - before >= count, withinMs)
  }
  attempts.unavailable.length = 0
  attempts.tolerance = { brokenConnections: false, unavailable: 'never' }
  const stop = traffic.start()
  await acknowledge(LEAST)

  attempts.tolerance = { brokenConnections: false, unavailable: 'done or not' }
  await outage.begin()
  await setTimeout(ON_ITS_WAY_MS)
  const before = traffic.acknowledged()
  const [crowdAnswers] = await Promise.all([keepAsking(world, awayMs), serveOn(world, awayMs)])
  assert.equal(traffic.acknowledged(), before, `${outage.name}: nothing is acknowledged while it is away`)

  await outage.end()
  const returned = performance.now()
  await acknowledge(LEAST, BACK_WITHIN_MS)
  await until(async () => (await world.ask('GET', '/readyz')).status === 200, BACK_WITHIN_MS)
  await setTimeout(500)
  await stop()
  const refusals = [...attempts.unavailable, ...crowdAnswers]
  for (const { to, status, headers, ms, body } of refusals) {
    assert.equal(status, 503, body)
    assert.ok(Number(headers.get('retry-after')) > 0, 'It says when to come back.')
    assertWithin(NO_LONGER_THAN_MS, ms, `${outage.name}: the answer to ${to}`)
  }
  const back = Math.max(0, ...attempts.unavailable.map(({ askedAt, ms }) => askedAt + ms - returned))
  assertWithin(BACK_WITHIN_MS, back, `${outage.name}: the last 503 after its return`)
  return { longest: Math.max(...refusals.map(({ ms }) => ms)), back, refused: refusals.length }
}

/** More at once than there are connections to the database: whoever waits for one waits no longer than the others. */
async function keepAsking(world: World, forMs: number): Promise<Answer[]> {
  const end = performance.now() + forMs
  const asked: Promise<Answer>[] = []
  while (performance.now() < end) {
    for (let count = 0; count < 5; count++) asked.push(world.ask('GET', '/api/auth/me', { cookie: world.admin.cookie }))
    await setTimeout(100)
  }
  return Promise.all(asked)
}

/** What needs no database is there all the time. */
async function serveOn(world: World, forMs: number): Promise<void> {
  const end = performance.now() + forMs
  while (performance.now() < end) {
    for (const path of ['/.well-known/openid-configuration', '/.well-known/jwks.json', '/ssh/ca.pub', '/healthz']) {
      const { status, ms } = await world.ask('GET', path)
      assert.equal(status, 200, path)
      assertWithin(NO_LONGER_THAN_MS, ms, path)
    }
    await setTimeout(50)
  }
}

/** Every notification of the administrator, as the list has them. */
async function listNotifications(world: World): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = await world.asAdmin(200, 'GET', `/api/notifications?limit=200${query}`)
    const { notifications, nextCursor } = page.json<{ notifications: { id: string }[]; nextCursor: string | null }>()
    ids.push(...notifications.map(({ id }) => id))
    cursor = nextCursor
  }
  return ids
}

/** So that every request has to write down that its session was used, once it has found it. */
async function ageSessions(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await client.query('update sessions set last_used_at = last_used_at - 120000')
  await client.end()
}

async function setUp(t: TestContext) {
  const server = await startPostgres(DURABLE)
  t.after(server.stop)
  const line = await cuttable(t, await createDatabase(server.url, 'away'))
  const replica = await startReplica(t, { databaseUrl: line.url }, { environment: ENVIRONMENT })
  const world = await createWorld(replica.address)
  const outages: Outage[] = [
    { name: 'stopped', ms: [300, 2000], begin: () => server.halt('SIGINT'), end: () => server.resume() },
    { name: 'frozen', ms: [4500, 6000], begin: async () => line.freeze(), end: async () => line.thaw() },
    { name: 'crashed', ms: [300, 2000], begin: () => server.halt('SIGQUIT'), end: () => server.resume() },
  ]
  return { server, replica, world, outages, databaseUrl: `${server.url}/away` }
}

test('PostgreSQL goes and comes back under load: 503 meanwhile, no lies, and full service without a restart', async (t) => {
  const random = seededRandom(t)
  const { world, replica, outages, databaseUrl } = await setUp(t)
  const traffic = createTraffic(t, world, fork(random), LATER_MS)
  const stream = await openEventStream(world.address, { cookie: world.admin.cookie })
  t.after(() => stream.close())
  const measured: (Measured & { name: string })[] = []
  const count = rounds(outages.length, 0.3)
  let checked = 0
  for (let round = 0; round < count; round++) {
    const outage = outages[round % outages.length]
    if (!outage) continue
    await ageSessions(databaseUrl)
    measured.push({ ...(await liveThrough(world, traffic, outage, between(random, ...outage.ms))), name: outage.name })
    checked += await traffic.verify({ random, sample: 50 })
  }
  await traffic.settle()
  checked += await traffic.verify('all')
  await assertSoundServer(databaseUrl)
  const told = await listNotifications(world)
  await until(async () => told.every((id) => stream.received().includes(id)), 10_000)
  assert.equal((await ask(replica.address, 'GET', '/readyz')).status, 200)

  figure(t, PART, 'outages', count)
  figure(
    t,
    PART,
    'requests answered 503',
    measured.reduce((sum, { refused }) => sum + refused, 0),
  )
  for (const { name } of outages) {
    const of = measured.filter((each) => each.name === name)
    figure(t, PART, `${name}: longest wait for a 503, ms`, Math.max(...of.map(({ longest }) => longest)))
    figure(t, PART, `${name}: last 503 after its return, ms`, Math.max(...of.map(({ back }) => back)))
  }
  figure(t, PART, 'acknowledged requests', traffic.acknowledged())
  figure(t, PART, 'checks afterwards', checked)
  figure(t, PART, 'notifications on a stream that was open all the time, none lost', told.length)
})
