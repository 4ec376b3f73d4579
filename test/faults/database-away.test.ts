import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { openEventStream } from '../identity/notifications/event-stream.ts'
import { startCuttableProxy } from '../support/cuttable-proxy.ts'
import { type Answer, sendRequest } from '../support/http-client.ts'
import { createDatabase, DURABLE_FLAGS, startPostgres } from '../support/postgres.ts'
import { startReplica, until } from '../support/replicas.ts'
import { assertWithin } from '../support/speed.ts'
import { createInstallation, ENVIRONMENT, type Installation } from './installation.ts'
import { assertSoundServer } from './invariants.ts'
import { between, figure, fork, rounds, seededRandom } from './run-options.ts'
import { createTraffic, type Traffic } from './traffic.ts'

const PART = 'Database unavailable'
const MIN_REQUESTS = 20
const MAX_ANSWER_MS = 5000
const MAX_RECOVERY_MS = 10_000
/** Later than the longest wait for the database, so that the scheduled time is still in the future when the request is served. */
const SCHEDULE_DELAY_MS = [MAX_ANSWER_MS, MAX_ANSWER_MS + 1000] as const
/** Answers that were being sent when the outage began may still arrive. */
const IN_FLIGHT_MS = 300

interface Outage {
  name: string
  /** The minimum and maximum duration. */
  ms: [number, number]
  begin(): Promise<void>
  end(): Promise<void>
}

interface Measured {
  maxAnswerMs: number
  recoveryMs: number
  refused: number
}

async function measureOutage(
  installation: Installation,
  traffic: Traffic,
  outage: Outage,
  outageMs: number,
): Promise<Measured> {
  const { attempts } = traffic
  const acknowledge = async (count: number, timeoutMs?: number) => {
    const before = traffic.acknowledged()
    await until(async () => traffic.acknowledged() - before >= count, timeoutMs)
  }
  attempts.unavailable.length = 0
  attempts.tolerance = { brokenConnections: false, unavailable: 'never' }
  const stop = traffic.start()
  await acknowledge(MIN_REQUESTS)

  attempts.tolerance = { brokenConnections: false, unavailable: 'unknown' }
  await outage.begin()
  await setTimeout(IN_FLIGHT_MS)
  const before = traffic.acknowledged()
  const [concurrentAnswers] = await Promise.all([
    sendManyRequests(installation, outageMs),
    assertServedWithoutDatabase(installation, outageMs),
  ])
  assert.equal(traffic.acknowledged(), before, `${outage.name}: nothing is acknowledged during the outage`)

  await outage.end()
  const endedAt = performance.now()
  await acknowledge(MIN_REQUESTS, MAX_RECOVERY_MS)
  await until(async () => (await installation.send('GET', '/readyz')).status === 200, MAX_RECOVERY_MS)
  await setTimeout(500)
  await stop()
  const refusals = [...attempts.unavailable, ...concurrentAnswers]
  for (const { to, status, headers, ms, body } of refusals) {
    assert.equal(status, 503, body)
    assert.ok(Number(headers.get('retry-after')) > 0, 'The answer has a Retry-After header.')
    assertWithin(MAX_ANSWER_MS, ms, `${outage.name}: the answer to ${to}`)
  }
  const recoveryMs = Math.max(0, ...attempts.unavailable.map(({ sentAt, ms }) => sentAt + ms - endedAt))
  assertWithin(MAX_RECOVERY_MS, recoveryMs, `${outage.name}: the last 503 after the outage`)
  return { maxAnswerMs: Math.max(...refusals.map(({ ms }) => ms)), recoveryMs, refused: refusals.length }
}

/** More concurrent requests than connections to the database, to test that waiting for a connection is limited too. */
async function sendManyRequests(installation: Installation, durationMs: number): Promise<Answer[]> {
  const end = performance.now() + durationMs
  const answers: Promise<Answer>[] = []
  while (performance.now() < end) {
    for (let count = 0; count < 5; count++)
      answers.push(installation.send('GET', '/api/auth/me', { cookie: installation.admin.cookie }))
    await setTimeout(100)
  }
  return Promise.all(answers)
}

/** Asserts that endpoints which need no database are served during the outage. */
async function assertServedWithoutDatabase(installation: Installation, durationMs: number): Promise<void> {
  const end = performance.now() + durationMs
  while (performance.now() < end) {
    for (const path of ['/.well-known/openid-configuration', '/.well-known/jwks.json', '/ssh/ca.pub', '/healthz']) {
      const { status, ms } = await installation.send('GET', path)
      assert.equal(status, 200, path)
      assertWithin(MAX_ANSWER_MS, ms, path)
    }
    await setTimeout(50)
  }
}

/** The ids of all notifications of the administrator. */
async function listNotifications(installation: Installation): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = await installation.asAdmin(200, 'GET', `/api/notifications?limit=200${query}`)
    const { notifications, nextCursor } = page.json<{ notifications: { id: string }[]; nextCursor: string | null }>()
    ids.push(...notifications.map(({ id }) => id))
    cursor = nextCursor
  }
  return ids
}

/** Makes the next request of every session update its time of last use, so that it writes as well as reads. */
async function ageSessions(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await client.query('update sessions set last_used_at = last_used_at - 120000')
  await client.end()
}

async function setUp(t: TestContext) {
  const server = await startPostgres(DURABLE_FLAGS)
  t.after(server.stop)
  const proxy = await startCuttableProxy(t, await createDatabase(server.url, 'away'))
  const replica = await startReplica(t, { databaseUrl: proxy.url }, { environment: ENVIRONMENT })
  const installation = await createInstallation(replica.address)
  const outages: Outage[] = [
    { name: 'stopped', ms: [300, 2000], begin: () => server.halt('SIGINT'), end: () => server.resume() },
    { name: 'frozen', ms: [4500, 6000], begin: async () => proxy.freeze(), end: async () => proxy.unfreeze() },
    { name: 'crashed', ms: [300, 2000], begin: () => server.halt('SIGQUIT'), end: () => server.resume() },
  ]
  return { server, replica, installation, outages, databaseUrl: `${server.url}/away` }
}

test('when PostgreSQL becomes unavailable under load, requests are answered 503, nothing acknowledged is lost, and service resumes without a restart', async (t) => {
  const random = seededRandom(t)
  const { installation, replica, outages, databaseUrl } = await setUp(t)
  const traffic = createTraffic(t, installation, fork(random), { soonMs: SCHEDULE_DELAY_MS })
  const stream = await openEventStream(installation.address, { cookie: installation.admin.cookie })
  t.after(() => stream.close())
  const measured: (Measured & { name: string })[] = []
  const count = rounds(outages.length, 0.3)
  let checked = 0
  for (let round = 0; round < count; round++) {
    const outage = outages[round % outages.length]
    if (!outage) continue
    await ageSessions(databaseUrl)
    measured.push({
      ...(await measureOutage(installation, traffic, outage, between(random, ...outage.ms))),
      name: outage.name,
    })
    checked += await traffic.verify({ random, sample: 50 })
  }
  await traffic.settle()
  checked += await traffic.verify('all')
  await assertSoundServer(databaseUrl)
  const notifications = await listNotifications(installation)
  await until(async () => notifications.every((id) => stream.received().includes(id)), 10_000)
  assert.equal((await sendRequest(replica.address, 'GET', '/readyz')).status, 200)

  figure(t, PART, 'outages', count)
  figure(
    t,
    PART,
    'requests answered 503',
    measured.reduce((sum, { refused }) => sum + refused, 0),
  )
  for (const { name } of outages) {
    const outagesOfKind = measured.filter((each) => each.name === name)
    figure(
      t,
      PART,
      `${name}: longest wait for a 503, ms`,
      Math.max(...outagesOfKind.map(({ maxAnswerMs }) => maxAnswerMs)),
    )
    figure(
      t,
      PART,
      `${name}: last 503 after the outage, ms`,
      Math.max(...outagesOfKind.map(({ recoveryMs }) => recoveryMs)),
    )
  }
  figure(t, PART, 'acknowledged requests', traffic.acknowledged())
  figure(t, PART, 'checks afterwards', checked)
  figure(t, PART, 'notifications on a stream that was open all the time, none lost', notifications.length)
})
