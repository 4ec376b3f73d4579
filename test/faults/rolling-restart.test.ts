import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openEventStream } from '../notifications/event-stream.ts'
import { createPlace } from '../support/engines.ts'
import { startReplica, until } from '../support/replicas.ts'
import { startRoundRobin } from '../support/round-robin.ts'
import { ask } from '../support/visitor.ts'
import { assertSoundServer } from './invariants.ts'
import { figure, fork, rounds, seededRandom } from './rounds.ts'
import { createTraffic } from './traffic.ts'
import { createWorld, ENVIRONMENT, type World } from './world.ts'

const PART = 'Rolling restart'
const LEAST = 20
const REPLICAS = 2

/** A browser that comes back whenever its stream ends, and says what it saw last. */
function watch(t: TestContext, world: World) {
  const seen: string[] = []
  let connections = 0
  const stopping = new AbortController()
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const lastEventId = seen.at(-1)
      const stream = await openEventStream(world.address, {
        cookie: world.admin.cookie,
        ...(lastEventId === undefined ? {} : { lastEventId }),
      })
      connections++
      t.after(() => stream.close())
      for (let frame = await stream.next(); frame; frame = await stream.next()) if (frame.id) seen.push(frame.id)
    }
  })()
  return {
    seen,
    connections: () => connections,
    /** It ends with its session. */
    async stop() {
      stopping.abort()
      await world.demand(200, 'POST', '/api/auth/logout', { cookie: world.admin.cookie })
      await running
    },
  }
}

async function listNotifications(world: World): Promise<string[]> {
  const page = await world.asAdmin(200, 'GET', '/api/notifications?limit=200')
  return page.json<{ notifications: { id: string }[] }>().notifications.map(({ id }) => id)
}

test('a rolling restart under load: no request fails, and no notification is lost', async (t) => {
  const random = seededRandom(t)
  const place = await createPlace('postgres')
  t.after(place.remove)
  const start = (port?: number) =>
    startReplica(t, place, { environment: ENVIRONMENT, ...(port === undefined ? {} : { port }) })
  const replicas = await Promise.all(Array.from({ length: REPLICAS }, () => start()))
  const ports = replicas.map(({ port }) => port)
  const proxy = await startRoundRobin(t, ports)
  const world = await createWorld(proxy.address)
  const traffic = createTraffic(t, world, fork(random))
  const watcher = watch(t, world)
  // A stream begins at the present: what is told before it is open is not for it.
  await until(async () => watcher.connections() > 0)
  const stop = traffic.start()
  const acknowledgeMore = async () => {
    const before = traffic.acknowledged()
    await until(async () => traffic.acknowledged() - before >= LEAST)
  }
  const cycles = rounds(1, 0.1)
  let longestStop = 0
  await acknowledgeMore()
  for (let cycle = 0; cycle < cycles; cycle++) {
    for (const [index, port] of ports.entries()) {
      const stopping = performance.now()
      assert.equal(await replicas[index]?.stop(), 0)
      longestStop = Math.max(longestStop, performance.now() - stopping)
      const successor = await start(port)
      await until(async () => (await ask(successor.address, 'GET', '/readyz')).status === 200)
      replicas[index] = successor
      await acknowledgeMore()
    }
  }
  await stop()
  const answered = proxy.answered().reduce((sum, count) => sum + count, 0)
  assert.deepEqual(proxy.broken(), [])
  assert.deepEqual(traffic.attempts.unexpected, [])
  await traffic.settle()
  const checked = await traffic.verify('all')
  await assertSoundServer(place.databaseUrl)
  const told = await listNotifications(world)
  await until(async () => told.every((id) => watcher.seen.includes(id)))
  assert.equal(new Set(watcher.seen).size, watcher.seen.length, 'No notification comes twice.')
  await watcher.stop()

  figure(t, PART, 'copies restarted under load', cycles * REPLICAS)
  figure(t, PART, 'requests meanwhile, none failed', answered)
  figure(t, PART, 'refused connections that the proxy tried elsewhere', proxy.refused())
  figure(t, PART, 'acknowledged facts that hold at the end', checked)
  figure(t, PART, 'longest time from SIGTERM to exit, ms', longestStop)
  figure(t, PART, 'times the notification stream moved, none lost', watcher.connections() - 1)
})
