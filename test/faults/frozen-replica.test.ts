import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { newPublicKey } from '../ssh/public-keys.ts'
import { createPlace } from '../support/engines.ts'
import { type Replica, startReplica, until } from '../support/replicas.ts'
import { type Answer, ask, sessionOf } from '../support/visitor.ts'
import { assertSoundServer } from './invariants.ts'
import { between, figure, fork, rounds, seededRandom } from './rounds.ts'
import { createTraffic } from './traffic.ts'
import { createWorld, ENVIRONMENT, passwordOf, type World } from './world.ts'

const PART = 'Frozen replica'
const SERVED_WITHIN_MS = 15_000
const MAX_CONNECTIONS = 10

/** Two replicas, and two connections of our own to their database: one that changes something, and one that looks. */
async function setUp(t: TestContext) {
  const place = await createPlace('postgres')
  const [outside, observer] = [new pg.Client(place.databaseUrl), new pg.Client(place.databaseUrl)]
  for (const client of [outside, observer]) await client.connect()
  t.after(async () => {
    for (const client of [outside, observer]) await client.end()
    await place.remove()
  })
  const start = () => startReplica(t, place, { environment: ENVIRONMENT })
  const [victim, other] = await Promise.all([start(), start()])
  const world = await createWorld(other.address)
  return { place, victim, other, world, outside, observer }
}

/** How many sessions of the service are so at the moment. */
async function countSessions(observer: pg.Client, condition: string): Promise<number> {
  const { rows } = await observer.query<{ count: string }>(
    `select count(*) from pg_stat_activity where application_name = 'latchkey' and datname = current_database() and ${condition}`,
  )
  return Number(rows[0]?.count)
}

/**
 * Freezes a replica in the middle of a transaction. Every change ends with its audit event: while we keep the table of
 * those locked, a change waits there with everything else that it holds. It is frozen then, and gets the table.
 */
async function freezeInTransaction(
  { victim, outside, observer }: Awaited<ReturnType<typeof setUp>>,
  request: () => Promise<Answer>,
) {
  await outside.query('begin')
  await outside.query('lock table audit_events in share mode')
  const answer = request()
  await until(async () => (await countSessions(observer, `wait_event_type = 'Lock'`)) > 0, 2500)
  process.kill(victim.pid, 'SIGSTOP')
  await outside.query('commit')
  const frozenAt = performance.now()
  await until(async () => (await countSessions(observer, `state = 'idle in transaction'`)) > 0, 2500)
  return { answer, frozenAt }
}

/** Somebody who may get certificates, and a key for them. */
async function addStaff(world: World, email: string): Promise<{ cookie: string; savedKeyId: string }> {
  const registered = await world.demand(201, 'POST', '/api/auth/register', {
    json: { email, password: passwordOf(email, 0) },
  })
  const { id } = registered.json<{ user: { id: string } }>().user
  await world.asAdmin(200, 'POST', `/api/admin/users/${id}/roles`, { roleId: world.staffRole })
  const cookie = sessionOf(registered)
  const json = { name: 'laptop', publicKey: newPublicKey() }
  const saved = await world.demand(201, 'POST', '/api/ssh/keys', { cookie, json })
  return { cookie, savedKeyId: saved.json<{ key: { id: string } }>().key.id }
}

const issue = (address: string, { cookie, savedKeyId }: { cookie: string; savedKeyId: string }) =>
  ask(address, 'POST', '/api/ssh/certs/issue', { cookie, json: { savedKeyId } })

const makeRole = (address: string, world: World, name: string) =>
  ask(address, 'POST', '/api/admin/roles', { cookie: world.admin.cookie, json: { name, permissions: [] } })

/** Asks more often than there are connections until it is served; answers how long after the freeze that was. */
async function serveAgain(request: () => Promise<Answer>, frozenAt: number): Promise<number> {
  for (;;) {
    const answers = await Promise.all(Array.from({ length: 15 }, request))
    for (const { status, headers, body } of answers) {
      if (status === 201) continue
      assert.equal(status, 503, body)
      assert.ok(Number(headers.get('retry-after')) > 0, 'It says when to come back.')
    }
    const ms = performance.now() - frozenAt
    if (answers.every(({ status }) => status === 201)) return ms
    assert.ok(ms < SERVED_WITHIN_MS, `Not served after ${Math.round(ms)} ms.`)
  }
}

async function wakeUp(victim: Replica, world: World): Promise<void> {
  process.kill(victim.pid, 'SIGCONT')
  const { cookie } = world.admin
  await until(async () => (await ask(victim.address, 'GET', '/api/auth/me', { cookie })).status === 200, 10_000)
}

test('a replica that is frozen while it holds the serial counter stops nobody for long, and answers 503 when it wakes', async (t) => {
  const scene = await setUp(t)
  const { victim, other, world, observer } = scene
  const [frozen, bystander] = [await addStaff(world, 'frozen@example.com'), await addStaff(world, 'by@example.com')]
  const before = await issue(other.address, bystander)
  assert.equal(before.status, 201, before.body)

  const { answer, frozenAt } = await freezeInTransaction(scene, () => issue(victim.address, frozen))
  const me = await ask(other.address, 'GET', '/api/auth/me', { cookie: bystander.cookie })
  assert.equal(me.status, 200, 'What needs no certificate is served all the time.')
  const backMs = await serveAgain(() => issue(other.address, bystander), frozenAt)
  assert.equal(await countSessions(observer, `wait_event_type = 'Lock'`), 0, 'Nobody is left waiting in the server.')
  assert.ok((await countSessions(observer, 'true')) <= 2 * (MAX_CONNECTIONS + 1))

  await wakeUp(victim, world)
  const { status, body } = await answer
  assert.equal(status, 503, body)
  const log = await world.asAdmin(200, 'GET', '/api/ssh/certs?limit=200')
  const { certificates } = log.json<{ certificates: { serial: string; keyId: string }[] }>()
  assert.equal(new Set(certificates.map(({ serial }) => serial)).size, certificates.length)
  assert.ok(certificates.some(({ serial }) => serial === before.json<{ serial: string }>().serial))
  assert.ok(
    certificates.every(({ keyId }) => !keyId.startsWith('frozen:')),
    'What was answered 503 is not there.',
  )
  assert.equal((await issue(victim.address, frozen)).status, 201)
  figure(t, PART, 'holding the serial counter: others issue again, ms after it', backMs)
})

test('a replica that is frozen while it holds the administration lock stops nobody for long, and answers 503 when it wakes', async (t) => {
  const scene = await setUp(t)
  const { victim, other, world, observer } = scene
  const { answer, frozenAt } = await freezeInTransaction(scene, () => makeRole(victim.address, world, 'frozen'))
  let count = 0
  const backMs = await serveAgain(() => makeRole(other.address, world, `role ${count++}`), frozenAt)
  assert.equal(await countSessions(observer, `wait_event_type = 'Lock'`), 0, 'Nobody is left waiting in the server.')

  await wakeUp(victim, world)
  const { status, body } = await answer
  assert.equal(status, 503, body)
  const { roles } = (await world.asAdmin(200, 'GET', '/api/admin/roles')).json<{ roles: { name: string }[] }>()
  assert.ok(!roles.some(({ name }) => name === 'frozen'), 'What was answered 503 is not there.')
  assert.equal((await makeRole(victim.address, world, 'frozen')).status, 201)
  figure(t, PART, 'holding the administration lock: others administer again, ms after it', backMs)
})

test('a replica that is frozen at any moment under load: others serve within 15 seconds, and nothing acknowledged is lost', async (t) => {
  const random = seededRandom(t)
  const { place, victim, other, world } = await setUp(t)
  const bystander = await addStaff(world, 'by@example.com')
  world.address = victim.address
  const traffic = createTraffic(t, world, fork(random))
  traffic.attempts.tolerance = { brokenConnections: true, unavailable: 'done or not' }
  const count = rounds(1, 0.2)
  let longest = 0
  for (let round = 0; round < count; round++) {
    const before = traffic.acknowledged()
    const stop = traffic.start()
    await until(async () => traffic.acknowledged() - before >= 20)
    await setTimeout(between(random, 0, 300))
    process.kill(victim.pid, 'SIGSTOP')
    const frozenAt = performance.now()
    const backMs = [
      await serveAgain(() => issue(other.address, bystander), frozenAt),
      await serveAgain(() => makeRole(other.address, world, `role ${random()}`), frozenAt),
    ]
    longest = Math.max(longest, ...backMs)
    const stopped = stop()
    await wakeUp(victim, world)
    await stopped
    await traffic.verify({ random, sample: 50 })
  }
  await traffic.settle()
  const checked = await traffic.verify('all')
  await assertSoundServer(place.databaseUrl)
  figure(t, PART, 'frozen at any moment, times', count)
  figure(t, PART, 'frozen at any moment: others serve everything again, ms after it', longest)
  figure(t, PART, 'checks afterwards', checked)
})
