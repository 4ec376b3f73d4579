import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createStorage, type EngineName } from '../support/engines.ts'
import { sendRequest } from '../support/http-client.ts'
import { type Replica, startReplica, until } from '../support/replicas.ts'
import { createInstallation, ENVIRONMENT, type Installation } from './installation.ts'
import { between, figure, isLongForm, pick, rounds, seededRandom } from './run-options.ts'
import { type Arrival, startWebhookReceiver, type Treatment } from './webhook-receiver.ts'

const PEOPLE = 24
const ALLOWED = { OUTGOING_ALLOW: '127.0.0.0/8' }
/** In the long form, so many are told while the service is killed. */
const MIN_FACTS = isLongForm ? 10_000 : 120

async function setUp(t: TestContext, engine: EngineName, replicas: number) {
  const storage = await createStorage(engine)
  t.after(storage.remove)
  const environment = { ...ENVIRONMENT, ...ALLOWED, ...(engine === 'sqlite' ? { DATA_DIR: storage.dataDir } : {}) }
  const start = () => startReplica(t, storage, { environment })
  const running: Replica[] = [await start()]
  const installation = await createInstallation(running[0]?.address ?? '')
  while (running.length < replicas) running.push(await start())
  const receiver = await startWebhookReceiver(t)
  const { secret } = (
    await installation.asAdmin(201, 'POST', '/api/admin/webhooks', {
      url: receiver.url,
      events: ['user.disabled', 'user.enabled'],
    })
  ).json<{ secret: string }>()
  receiver.secret = secret
  const people: string[] = []
  // One after the other: a busy machine may answer 503 to so many at once.
  while (people.length < PEOPLE) {
    const email = `p${people.length}@example.com`
    const made = await installation.asAdmin(201, 'POST', '/api/admin/users', { email })
    people.push(made.json<{ user: { id: string } }>().user.id)
  }
  return { storage, start, running, installation, receiver, people }
}

/** Switches people off and on until it is stopped, and counts what was acknowledged of each. */
function switchPeople(installation: Installation, replicas: () => Replica[], people: string[]) {
  const acknowledged = new Map(people.map((id) => [id, 0]))
  const stopping = new AbortController()
  const work = async (id: string, worker: number): Promise<void> => {
    for (let action = 'disable'; !stopping.signal.aborted;) {
      const address = replicas()[worker % replicas().length]?.address ?? ''
      const content = { cookie: installation.admin.cookie, json: { action } }
      const answer = await sendRequest(address, 'POST', `/api/admin/users/${id}/lifecycle`, content).catch(
        () => undefined,
      )
      if (answer?.status === 200) {
        acknowledged.set(id, (acknowledged.get(id) ?? 0) + 1)
        action = action === 'disable' ? 'enable' : 'disable'
      } else await setTimeout(200)
    }
  }
  const done = Promise.all(people.map(work))
  return {
    count: () => acknowledged.values().reduce((sum, each) => sum + each, 0),
    async stop() {
      stopping.abort()
      await done
      return acknowledged
    },
  }
}

/** Of each delivery the first arrival. */
function firstArrivals(arrivals: Arrival[]): Arrival[] {
  const seen = new Set<string>()
  return arrivals.filter(({ id }) => seen.size < seen.add(id).size)
}

function assertAllArrived(arrivals: Arrival[], acknowledged: Map<string, number>): void {
  const first = firstArrivals(arrivals)
  const sequences = first.map(({ sequence }) => sequence).toSorted((one, other) => one - other)
  assert.deepEqual(
    sequences,
    sequences.map((_, index) => index + 1),
    'the numbers are consecutive',
  )
  for (const [person, own] of Map.groupBy(first, (each) => each.person)) {
    const order = own.map(({ sequence }) => sequence)
    assert.deepEqual(
      order,
      order.toSorted((one, other) => one - other),
      `${person} is told in order`,
    )
    const types = own.map(({ type }) => type)
    assert.deepEqual(
      types,
      types.map((_, index) => (index % 2 === 0 ? 'user.disabled' : 'user.enabled')),
    )
    assert.ok(own.length >= (acknowledged.get(person) ?? 0), `${person} lacks something that was acknowledged`)
  }
}

for (const engine of ['sqlite', 'postgres'] as const)
  test(`when the service is killed at random moments while it tells a receiver that fails, hangs and closes connections, nothing is lost and each person is told in order (${engine})`, async (t) => {
    const random = seededRandom(t)
    const { start, running, installation, receiver, people } = await setUp(t, engine, engine === 'sqlite' ? 1 : 2)
    const treatments: Treatment[] = ['accept', 'accept', 'accept', 'accept', 'fail', 'close', 'hang']
    receiver.treat = () => (random() < 0.05 ? (pick(random, treatments) ?? 'accept') : 'accept')
    const traffic = switchPeople(installation, () => running, people)
    const kills = rounds(2)
    for (let round = 0; round < kills || traffic.count() < MIN_FACTS; round++) {
      const before = traffic.count()
      await setTimeout(between(random, 150, 900))
      await until(async () => traffic.count() - before >= MIN_FACTS / kills)
      const at = round % running.length
      await running[at]?.kill()
      running[at] = await start()
      installation.address = running[at].address
    }
    const acknowledged = await traffic.stop()
    receiver.treat = () => 'accept'
    const isOver = async () => {
      const { webhooks } = (await installation.asAdmin(200, 'GET', '/api/admin/webhooks')).json<{
        webhooks: { id: string }[]
      }>()
      const path = `/api/admin/webhooks/${webhooks[0]?.id}/deliveries?limit=200`
      for (let cursor = ''; ;) {
        const page = (await installation.asAdmin(200, 'GET', `${path}${cursor}`)).json<{
          deliveries: { state: string }[]
          nextCursor: string | null
        }>()
        if (page.deliveries.some(({ state }) => state === 'waiting')) return false
        if (page.nextCursor === null) return true
        cursor = `&cursor=${page.nextCursor}`
      }
    }
    // What the receiver has failed is told again up to a minute later, and each question reads every delivery.
    await until(async () => (await isOver()) || setTimeout(500, false))
    assert.equal(receiver.forged, 0)
    assertAllArrived(receiver.arrivals, acknowledged)
    figure(t, `Outbox (${engine})`, 'kills', kills)
    figure(t, `Outbox (${engine})`, 'told', firstArrivals(receiver.arrivals).length)
    figure(t, `Outbox (${engine})`, 'arrived again', receiver.arrivals.length - firstArrivals(receiver.arrivals).length)
  })

test('when a replica is frozen while it tells a receiver, another takes over within 30 seconds', async (t) => {
  const { running, installation, receiver, people } = await setUp(t, 'postgres', 2)
  const [victim, other] = running
  assert.ok(victim && other)
  receiver.treat = () => 'hang'
  installation.address = victim.address
  await installation.asAdmin(200, 'POST', `/api/admin/users/${people[0]}/lifecycle`, { action: 'disable' })
  await until(async () => receiver.arrivals.length === 1)
  // Both were told of it, and the one that is sending is frozen, whichever it is.
  for (const each of [victim, other]) process.kill(each.pid, 'SIGSTOP')
  receiver.treat = () => 'accept'
  const frozenAt = performance.now()
  process.kill(other.pid, 'SIGCONT')
  await until(async () => receiver.arrivals.length >= 2)
  figure(t, 'Outbox', 'until another replica has told it, ms', performance.now() - frozenAt)
  assert.ok(performance.now() - frozenAt < 30_000)
  process.kill(victim.pid, 'SIGCONT')
})
