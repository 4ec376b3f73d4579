import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { withConnection } from '../../bench/connection.ts'
import { type Fixture, ISSUER, SCOPES, SECRET_KEY } from '../../bench/fixture.ts'
import { OPERATIONS } from '../../bench/operations.ts'
import { seed } from '../../bench/seed.ts'
import { skipEscalationCheck } from '../../src/identity/roles/checked-trx.ts'
import { createUser } from '../../src/identity/users/create-user.ts'
import { insertClient } from '../../src/oauth/administration/create-client.ts'
import { addToGrant } from '../../src/oauth/authorizations/grant-store.ts'
import { openServices } from '../../src/open-services.ts'
import { THE_SERVICE } from '../../src/platform/audit/record-event.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { createLogger } from '../../src/platform/http/log.ts'
import { addDeliveries, type NewDelivery } from '../../src/platform/outbox/delivery-store.ts'
import { createStorage, type EngineName, onEachEngine } from '../support/engines.ts'
import { freePort } from '../support/free-port.ts'
import { type Replica, startReplica } from '../support/replicas.ts'
import { assertWithin } from '../support/speed.ts'
import { addFigure } from './figures.ts'
import { openConnections, type Outcome, quantile, runOpen } from './generator.ts'
import { shortOrLong } from './run-length.ts'
import { passwordLogin } from './traffic.ts'

const RECEIVERS = shortOrLong(10, 100)
const DISABLES = shortOrLong(4, 50)
const MAX_TOLD_MS = 1000
const FEW_RECEIVERS = 6
const AT_ONCE = shortOrLong(40, 1000)
const PER_BATCH = shortOrLong(10, 200)
const BATCHES = 4
/** Connections on which the other accounts are disabled one by one. */
const SINGLE_AT_ONCE = 16
const WAITING = shortOrLong(300, 10_000)
/** Of a batch of 200 on a busy machine. */
const MAX_ANSWER_MS = 120_000
const REPEATED_AFTER_MS = 200
const CONNECTIONS = 8
const RATE = 30

interface Installation {
  replicas: Replica[]
  fixture: Fixture
  people: string[]
  /** Changes that were answered with 503, and made again. */
  repeated: { count: number }
  /** By the administrator with this number, who uses one of the replicas: those of one wait for each other. */
  disable(ids: string[], by?: number): Promise<void>
  /** When a person had been told to so many receivers, in milliseconds since 1970. */
  told(person: string, times: number): Promise<number>
}

/** Half of the receivers are webhooks, the others take logout tokens. Two replicas on PostgreSQL. */
async function install(
  t: TestContext,
  engine: EngineName,
  { people: count, receivers, waiting = 0 }: { people: number; receivers: number; waiting?: number },
): Promise<Installation> {
  const receiving = fork(new URL('receivers-process.ts', import.meta.url))
  t.after(() => receiving.kill())
  const [port] = (await once(receiving, 'message')) as [number]
  const address = `http://127.0.0.1:${port}`
  const storage = await createStorage(engine)
  t.after(() => storage.remove())
  const fixture = await seed(storage.databaseUrl, storage.dataDir, 0)
  const people = await addPeople(storage, { count, clients: receivers / 2, address, waiting })
  const environment = { SECRET_KEY, RATE_LIMITS: 'off', LOG_LEVEL: 'error', OUTGOING_ALLOW: '127.0.0.0/8' }
  const replicas: Replica[] = []
  const repeated = { count: 0 }
  for (let at = 0; at < (engine === 'postgres' ? 2 : 1); at++)
    replicas.push(await startReplica(t, storage, { environment }))
  const send = async (at: number, path: string, json: object): Promise<unknown> => {
    const replica = replicas[at % replicas.length]
    const request = {
      method: 'POST',
      signal: AbortSignal.timeout(MAX_ANSWER_MS),
      headers: {
        origin: ISSUER,
        'content-type': 'application/json',
        cookie: `session=${fixture.people[at % fixture.people.length]?.session}`,
      },
      body: JSON.stringify(json),
    }
    let answer = await fetch(`${replica?.address}${path}`, request)
    // On a busy machine PostgreSQL makes a change wait for others for too long; the answer says that it may be repeated.
    for (; answer.status === 503; answer = await fetch(`${replica?.address}${path}`, request)) {
      repeated.count++
      await sleep(REPEATED_AFTER_MS)
    }
    const body = await answer.text()
    assert.ok(answer.ok, `${path}: ${answer.status} ${body}`)
    return JSON.parse(body) as unknown
  }
  /** Those that had to wait for too long are refused alone, and disabled by another request. */
  const disableMany = async (ids: string[], at: number): Promise<void> => {
    for (let left = ids; left.length > 0;) {
      const { results } = (await send(at, '/api/admin/users/batch', { ids: left, action: 'disable' })) as {
        results: { id: string; outcome: string; reason?: string }[]
      }
      const refused = results.filter(({ outcome }) => outcome !== 'done')
      for (const { reason } of refused) assert.equal(reason, 'briefly_unavailable')
      repeated.count += refused.length
      left = refused.map(({ id }) => id)
    }
  }
  for (let at = 0; at < receivers / 2; at++)
    await send(at, '/api/admin/webhooks', { url: `${address}/webhook/${at}`, events: ['user.disabled'] })
  return {
    replicas,
    fixture,
    people,
    repeated,
    async disable([id = '', ...others], at = 0) {
      if (others.length > 0) await disableMany([id, ...others], at)
      else await send(at, `/api/admin/users/${id}/lifecycle`, { action: 'disable' })
    },
    async told(person, times) {
      const response = await fetch(`${address}/told?person=${person}&times=${times}`)
      const told = (await response.json()) as { times: number; lastAt: number }
      assert.equal(told.times, times)
      return told.lastAt
    },
  }
}

async function addPeople(
  { databaseUrl, dataDir }: { databaseUrl: string; dataDir: string },
  { count, clients, address, waiting }: { count: number; clients: number; address: string; waiting: number },
): Promise<string[]> {
  const config = readConfig({
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    SECRET_KEY,
    BASE_URL: ISSUER,
    OUTGOING_ALLOW: '127.0.0.0/8',
  })
  const services = await openServices(config, { log: createLogger('silent'), now: Date.now })
  const { db, now } = services
  const addClient = (backchannelLogoutUri: string) =>
    db.transaction((trx) =>
      insertClient(
        services,
        skipEscalationCheck(trx),
        {
          name: backchannelLogoutUri,
          clientType: 'confidential',
          redirectUris: ['https://app.example/cb'],
          scopes: SCOPES,
          backchannelLogoutUri,
        },
        THE_SERVICE,
      ),
    )
  try {
    const ids: string[] = []
    for (let at = 0; at < clients; at++) ids.push((await addClient(`${address}/logout/${at}`)).client_id)
    const people: string[] = []
    for (let at = 0; at < count; at++) {
      const { id } = await createUser(services, db, { email: `leaver${at}@example.com`, passwordHash: null })
      await db.transaction(async (trx) => {
        for (const clientId of ids) await addToGrant(trx, { userId: id, clientId, scopes: SCOPES, at: now() })
      })
      people.push(id)
    }
    if (waiting > 0) {
      const { client_id: receiverId } = await addClient(`http://127.0.0.1:${await freePort()}/logout`)
      const deliveries = Array.from({ length: waiting }, (_, at): NewDelivery => ({
        kind: 'logout',
        receiverId,
        personId: `person${at}`,
        type: 'logout',
        fact: {},
      }))
      await db.transaction((trx) => addDeliveries(trx, deliveries, now()))
    }
    return people
  } finally {
    await services.close()
  }
}

/** Introspection and sign-ins by password at a fixed rate, to every replica, while the work is done. */
async function during(
  t: TestContext,
  { replicas, fixture }: Installation,
  work: () => Promise<void>,
): Promise<Map<string, Float64Array>> {
  const introspection = OPERATIONS.find(({ name }) => name === 'introspection')
  assert.ok(introspection)
  const [first] = replicas
  assert.ok(first)
  const shares = await withConnection(first.port, async (connection) => [
    {
      name: 'introspection',
      weight: 20,
      step: await introspection.prepare(connection, fixture, replicas.length * CONNECTIONS),
    },
    { name: 'password login', weight: 1, step: await passwordLogin(connection, fixture) },
  ])
  const connections = (await Promise.all(replicas.map(({ port }) => openConnections(port, CONNECTIONS)))).flat()
  t.after(() => connections.forEach((each) => each.close()))
  const over = new AbortController()
  const ended = work().finally(() => over.abort())
  const times = new Map<string, number[]>()
  do {
    const outcome: Outcome = await runOpen(connections, shares, { rate: RATE, milliseconds: 1000 })
    assert.deepEqual(outcome.failures, [])
    for (const [name, each] of outcome.times) times.set(name, [...(times.get(name) ?? []), ...each])
  } while (!over.signal.aborted)
  await ended
  return new Map([...times].map(([name, each]) => [name, Float64Array.from(each).toSorted()]))
}

const describeTimes = (times: Map<string, Float64Array>): string =>
  [...times]
    .map(([name, each]) => `${name} ${quantile(each, 0.5).toFixed(1)} / ${quantile(each, 0.99).toFixed(1)} ms`)
    .join(', ')

onEachEngine('telling receivers', (engine) => {
  const part = `Telling receivers (${engine})`

  test(`${RECEIVERS} receivers acknowledge within a second that an account was disabled`, async (t) => {
    const installation = await install(t, engine, { people: DISABLES + 1, receivers: RECEIVERS })
    const waits: number[] = []
    for (const [at, person] of installation.people.entries()) {
      const started = Date.now()
      await installation.disable([person], at)
      waits.push((await installation.told(person, RECEIVERS)) - started)
    }
    // The first one opens the connections.
    const sorted = Float64Array.from(waits.slice(1)).toSorted()
    const figures = `${quantile(sorted, 0.5).toFixed(0)} / ${quantile(sorted, 0.99).toFixed(0)} ms, the first ${waits[0]?.toFixed(0)} ms`
    t.diagnostic(figures)
    addFigure(part, `one disable, ${RECEIVERS} receivers: until all were told, p50 / p99`, figures)
    assertWithin(MAX_TOLD_MS, quantile(sorted, 0.99), 'Telling all of them')
  })

  test(`${AT_ONCE} accounts that are disabled at once are all told of, and other requests are answered`, async (t) => {
    const installation = await install(t, engine, { people: AT_ONCE, receivers: FEW_RECEIVERS })
    let took = 0
    const times = await during(t, installation, async () => {
      const started = Date.now()
      const { people, disable, told } = installation
      const batches = Array.from({ length: BATCHES }, (_, at) => people.slice(at * PER_BATCH, (at + 1) * PER_BATCH))
      const single = people.slice(BATCHES * PER_BATCH).values()
      const oneByOne = async (_: unknown, at: number) => {
        for (const id of single) await disable([id], BATCHES + at)
      }
      await Promise.all([
        ...batches.map((ids, at) => disable(ids, at)),
        ...Array.from({ length: SINGLE_AT_ONCE }, oneByOne),
      ])
      const lastAt = await Promise.all(people.map((person) => told(person, FEW_RECEIVERS)))
      took = lastAt.reduce((latest, at) => Math.max(latest, at), 0) - started
    })
    const { count } = installation.repeated
    t.diagnostic(`${(took / 1000).toFixed(1)} s, ${count} repeated; ${describeTimes(times)}`)
    const what = `${AT_ONCE.toLocaleString('en')} disables at once, ${FEW_RECEIVERS} receivers: until nothing was left`
    addFigure(part, what, `${(took / 1000).toFixed(1)} s, ${count} changes repeated after 503`)
    addFigure(part, 'other requests meanwhile, p50 / p99', describeTimes(times))
  })

  test(`${WAITING} deliveries that wait for a receiver that is down delay nothing else`, async (t) => {
    const people = shortOrLong(3, 20)
    const installation = await install(t, engine, { people, receivers: FEW_RECEIVERS, waiting: WAITING })
    const waits: number[] = []
    const times = await during(t, installation, async () => {
      for (const [at, person] of installation.people.entries()) {
        const started = Date.now()
        await installation.disable([person], at)
        waits.push((await installation.told(person, FEW_RECEIVERS)) - started)
      }
    })
    const slowest = waits.reduce((most, wait) => Math.max(most, wait), 0)
    t.diagnostic(`${slowest.toFixed(0)} ms; ${describeTimes(times)}`)
    const what = `one disable while ${WAITING.toLocaleString('en')} deliveries wait for a receiver that is down`
    addFigure(part, what, `${slowest.toFixed(0)} ms at most`)
    addFigure(part, 'other requests meanwhile, p50 / p99', describeTimes(times))
    assertWithin(MAX_TOLD_MS, slowest, 'Telling the others')
  })
})
