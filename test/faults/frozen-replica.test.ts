import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { newPublicKey } from '../ssh/public-keys.ts'
import { createStorage } from '../support/engines.ts'
import { type Answer, sendRequest, sessionOf } from '../support/http-client.ts'
import { type Replica, startReplica, until } from '../support/replicas.ts'
import { createInstallation, ENVIRONMENT, passwordOf, type Installation } from './installation.ts'
import { assertSoundServer } from './invariants.ts'
import { between, figure, fork, rounds, seededRandom } from './run-options.ts'
import { createTraffic } from './traffic.ts'

const PART = 'Frozen replica'
const MAX_RECOVERY_MS = 15_000
/** Those of one replica with this name: for changes, for reads, for what waits for locks, and in the background. */
const POOLED = 10 + 4 + 3 + 1

/** Two replicas, and two connections of the test to their database: one for changes and one for monitoring. */
async function setUp(t: TestContext) {
  const storage = await createStorage('postgres')
  const [client, observer] = [new pg.Client(storage.databaseUrl), new pg.Client(storage.databaseUrl)]
  for (const each of [client, observer]) await each.connect()
  t.after(async () => {
    for (const each of [client, observer]) await each.end()
    await storage.remove()
  })
  const start = () => startReplica(t, storage, { environment: ENVIRONMENT })
  const [victim, other] = await Promise.all([start(), start()])
  const installation = await createInstallation(other.address)
  return { storage, victim, other, installation, client, observer }
}

/** The number of database sessions of the service that meet the condition. */
async function countSessions(observer: pg.Client, condition: string): Promise<number> {
  const { rows } = await observer.query<{ count: string }>(
    `select count(*) from pg_stat_activity where application_name = 'latchkey pool' and datname = current_database() and ${condition}`,
  )
  return Number(rows[0]?.count)
}

/**
 * Freezes a replica in the middle of a transaction. Every change ends with its audit event, so while the test locks the table
 * of audit events, a change waits and keeps its other locks. The replica is frozen then, and the table is released.
 */
async function freezeInTransaction(
  { victim, client, observer }: Awaited<ReturnType<typeof setUp>>,
  request: () => Promise<Answer>,
) {
  await client.query('begin')
  await client.query('lock table audit_events in share mode')
  const answer = request()
  await until(async () => (await countSessions(observer, `wait_event_type = 'Lock'`)) > 0)
  process.kill(victim.pid, 'SIGSTOP')
  await client.query('commit')
  const frozenAt = performance.now()
  await until(async () => (await countSessions(observer, `state = 'idle in transaction'`)) > 0)
  return { answer, frozenAt }
}

/** Adds a user who may get certificates, and an SSH key for them. */
async function addStaff(installation: Installation, email: string): Promise<{ cookie: string; savedKeyId: string }> {
  const registered = await installation.expectStatus(201, 'POST', '/api/auth/register', {
    json: { email, password: passwordOf(email, 0) },
  })
  const { id } = registered.json<{ user: { id: string } }>().user
  await installation.asAdmin(200, 'POST', `/api/admin/users/${id}/roles`, { roleId: installation.staffRole })
  const cookie = sessionOf(registered)
  const json = { name: 'laptop', publicKey: newPublicKey() }
  const saved = await installation.expectStatus(201, 'POST', '/api/ssh/keys', { cookie, json })
  return { cookie, savedKeyId: saved.json<{ key: { id: string } }>().key.id }
}

const issue = (address: string, { cookie, savedKeyId }: { cookie: string; savedKeyId: string }) =>
  sendRequest(address, 'POST', '/api/ssh/certs/issue', { cookie, json: { savedKeyId } })

const createRole = (address: string, installation: Installation, name: string) =>
  sendRequest(address, 'POST', '/api/admin/roles', {
    cookie: installation.admin.cookie,
    json: { name, permissions: [] },
  })

/** Sends more concurrent requests than there are connections until all are served; returns the time since the freeze. */
async function measureRecovery(request: () => Promise<Answer>, frozenAt: number): Promise<number> {
  for (;;) {
    const answers = await Promise.all(Array.from({ length: 15 }, request))
    for (const { status, headers, body } of answers) {
      if (status === 201) continue
      assert.equal(status, 503, body)
      assert.ok(Number(headers.get('retry-after')) > 0, 'The answer has a Retry-After header.')
    }
    const ms = performance.now() - frozenAt
    if (answers.every(({ status }) => status === 201)) return ms
    assert.ok(ms < MAX_RECOVERY_MS, `Not served after ${Math.round(ms)} ms.`)
  }
}

async function unfreeze(victim: Replica, installation: Installation): Promise<void> {
  process.kill(victim.pid, 'SIGCONT')
  const { cookie } = installation.admin
  await until(async () => (await sendRequest(victim.address, 'GET', '/api/auth/me', { cookie })).status === 200, 10_000)
}

test('when a replica is frozen while it holds the serial counter, other replicas issue again within 15 seconds, and it answers 503 after it continues', async (t) => {
  const setup = await setUp(t)
  const { victim, other, installation, observer } = setup
  const [frozen, bystander] = [
    await addStaff(installation, 'frozen@example.com'),
    await addStaff(installation, 'by@example.com'),
  ]
  const before = await issue(other.address, bystander)
  assert.equal(before.status, 201, before.body)

  const { answer, frozenAt } = await freezeInTransaction(setup, () => issue(victim.address, frozen))
  const me = await sendRequest(other.address, 'GET', '/api/auth/me', { cookie: bystander.cookie })
  assert.equal(me.status, 200, 'Requests that need no certificate are served meanwhile.')
  const recoveryMs = await measureRecovery(() => issue(other.address, bystander), frozenAt)
  // What was tried meanwhile is given up, and no session goes on waiting for a lock.
  await until(async () => (await countSessions(observer, `wait_event_type = 'Lock'`)) === 0, 4000)
  assert.ok((await countSessions(observer, 'true')) <= 2 * POOLED)

  await unfreeze(victim, installation)
  const { status, body } = await answer
  assert.equal(status, 503, body)
  const log = await installation.asAdmin(200, 'GET', '/api/ssh/certs?limit=200')
  const { certificates } = log.json<{ certificates: { serial: string; keyId: string }[] }>()
  assert.equal(new Set(certificates.map(({ serial }) => serial)).size, certificates.length)
  assert.ok(certificates.some(({ serial }) => serial === before.json<{ serial: string }>().serial))
  assert.ok(
    certificates.every(({ keyId }) => !keyId.startsWith('frozen:')),
    'What was answered 503 was not stored.',
  )
  assert.equal((await issue(victim.address, frozen)).status, 201)
  figure(t, PART, 'holding the serial counter: others issue again, ms after the freeze', recoveryMs)
})

test('when a replica is frozen while it holds the administration lock, other replicas serve again within 15 seconds, and it answers 503 after it continues', async (t) => {
  const setup = await setUp(t)
  const { victim, other, installation, observer } = setup
  const { answer, frozenAt } = await freezeInTransaction(setup, () =>
    createRole(victim.address, installation, 'frozen'),
  )
  let count = 0
  const recoveryMs = await measureRecovery(() => createRole(other.address, installation, `role ${count++}`), frozenAt)
  // What was tried meanwhile is given up, and no session goes on waiting for a lock.
  await until(async () => (await countSessions(observer, `wait_event_type = 'Lock'`)) === 0, 4000)

  await unfreeze(victim, installation)
  const { status, body } = await answer
  assert.equal(status, 503, body)
  const { roles } = (await installation.asAdmin(200, 'GET', '/api/admin/roles')).json<{ roles: { name: string }[] }>()
  assert.ok(!roles.some(({ name }) => name === 'frozen'), 'What was answered 503 was not stored.')
  assert.equal((await createRole(victim.address, installation, 'frozen')).status, 201)
  figure(t, PART, 'holding the administration lock: others serve again, ms after the freeze', recoveryMs)
})

test('when a replica is frozen at a random moment under load, other replicas serve within 15 seconds, and no acknowledged write is lost', async (t) => {
  const random = seededRandom(t)
  const { storage, victim, other, installation } = await setUp(t)
  const bystander = await addStaff(installation, 'by@example.com')
  installation.address = victim.address
  const traffic = createTraffic(t, installation, fork(random))
  traffic.attempts.tolerance = { brokenConnections: true, unavailable: 'unknown' }
  const count = rounds(1, 0.2)
  let maxRecoveryMs = 0
  for (let round = 0; round < count; round++) {
    const before = traffic.acknowledged()
    const stop = traffic.start()
    await until(async () => traffic.acknowledged() - before >= 20)
    await setTimeout(between(random, 0, 300))
    process.kill(victim.pid, 'SIGSTOP')
    const frozenAt = performance.now()
    const recoveryMs = [
      await measureRecovery(() => issue(other.address, bystander), frozenAt),
      await measureRecovery(() => createRole(other.address, installation, `role ${random()}`), frozenAt),
    ]
    maxRecoveryMs = Math.max(maxRecoveryMs, ...recoveryMs)
    const stopped = stop()
    await unfreeze(victim, installation)
    await stopped
    await traffic.verify({ random, sample: 50 })
  }
  await traffic.settle()
  const checked = await traffic.verify('all')
  await assertSoundServer(storage.databaseUrl)
  figure(t, PART, 'frozen at a random moment, times', count)
  figure(t, PART, 'frozen at a random moment: others serve everything again, ms after the freeze', maxRecoveryMs)
  figure(t, PART, 'checks afterwards', checked)
})
