import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openEventStream } from '../identity/notifications/event-stream.ts'
import { createStorage } from '../support/engines.ts'
import { sendRequest } from '../support/http-client.ts'
import { startReplica, until } from '../support/replicas.ts'
import { startRoundRobin } from '../support/round-robin.ts'
import { createInstallation, ENVIRONMENT, type Installation } from './installation.ts'
import { assertSoundServer } from './invariants.ts'
import { figure, fork, isLongForm, rounds, seededRandom } from './run-options.ts'
import { createTraffic } from './traffic.ts'

const PART = 'Rolling restart'
const MIN_REQUESTS = 20
const REPLICAS = 3
/** In the short form there are requests at all times, but few enough that the replicas start quickly beside them. */
const PAUSE_MS = isLongForm ? 0 : 100

/** A browser that reconnects when its stream ends, with the id of the last event. */
function watchNotifications(t: TestContext, installation: Installation) {
  const seen: string[] = []
  let connections = 0
  const stopping = new AbortController()
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const lastEventId = seen.at(-1)
      const stream = await openEventStream(installation.address, {
        cookie: installation.admin.cookie,
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
    /** Ends the session, and the stream with it. */
    async stop() {
      stopping.abort()
      await installation.expectStatus(200, 'POST', '/api/auth/logout', { cookie: installation.admin.cookie })
      await running
    },
  }
}

async function listNotifications(installation: Installation): Promise<string[]> {
  const page = await installation.asAdmin(200, 'GET', '/api/notifications?limit=200')
  return page.json<{ notifications: { id: string }[] }>().notifications.map(({ id }) => id)
}

test('during a rolling restart under load no request fails and no notification is lost', async (t) => {
  const random = seededRandom(t)
  const storage = await createStorage('postgres')
  t.after(storage.remove)
  const start = (port?: number) =>
    startReplica(t, storage, { environment: ENVIRONMENT, ...(port === undefined ? {} : { port }) })
  const replicas = await Promise.all(Array.from({ length: REPLICAS }, () => start()))
  const ports = replicas.map(({ port }) => port)
  const proxy = await startRoundRobin(t, ports)
  const installation = await createInstallation(proxy.address)
  const traffic = createTraffic(t, installation, fork(random), { pauseMs: PAUSE_MS })
  const watcher = watchNotifications(t, installation)
  // A new stream sends only notifications that are created after it was opened.
  await until(async () => watcher.connections() > 0)
  const stop = traffic.start()
  const acknowledgeMore = async () => {
    const before = traffic.acknowledged()
    await until(async () => traffic.acknowledged() - before >= MIN_REQUESTS)
  }
  const cycles = rounds(1, 0.1)
  let maxStopMs = 0
  await acknowledgeMore()
  for (let cycle = 0; cycle < cycles; cycle++) {
    for (const [index, port] of ports.entries()) {
      const stoppedAt = performance.now()
      assert.equal(await replicas[index]?.stop(), 0)
      maxStopMs = Math.max(maxStopMs, performance.now() - stoppedAt)
      const successor = await start(port)
      await until(async () => (await sendRequest(successor.address, 'GET', '/readyz')).status === 200)
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
  await assertSoundServer(storage.databaseUrl)
  const notifications = await listNotifications(installation)
  await until(async () => notifications.every((id) => watcher.seen.includes(id)))
  assert.equal(new Set(watcher.seen).size, watcher.seen.length, 'No notification is delivered twice.')
  await watcher.stop()

  figure(t, PART, 'replicas restarted under load', cycles * REPLICAS)
  figure(t, PART, 'requests meanwhile, none failed', answered)
  figure(t, PART, 'refused connections that the proxy retried on another replica', proxy.refused())
  figure(t, PART, 'acknowledged facts that hold at the end', checked)
  figure(t, PART, 'longest time from SIGTERM to exit, ms', maxStopMs)
  figure(t, PART, 'reconnections of the notification stream, no notification lost', watcher.connections() - 1)
})
