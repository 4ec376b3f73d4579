import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { createStorage, onEachEngine } from '../support/engines.ts'
import { sendRequest, sessionOf } from '../support/http-client.ts'
import { startReplica, until } from '../support/replicas.ts'
import { type Running, start } from './start.ts'

const linesOf = (text: string) => text.trim().split('\n')
const isHealthy = async ({ url }: Running) => (await fetch(`${url}/healthz`)).status === 200
const waitUntilUp = (service: Running) => until(() => isHealthy(service).catch(() => false))

async function assertEndsOnSigterm({ child, exit }: Running): Promise<void> {
  child.kill('SIGTERM')
  assert.equal(await exit(), 0)
}

test('without a terminal every line of standard output is JSON, and the set-up link is on standard error', async (t) => {
  const service = await start(t, { BASE_URL: 'http://id.example.com', DATABSE_URL: 'postgres://hunter2@db/latchkey' })
  await service.waitForOutput(/setup#secret=/)
  const body = JSON.stringify({ email: 'ada@example.com', password: 'correct horse battery staple' })
  await fetch(`${service.url}/api/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  await service.waitForOutput(/Mail written/)
  await assertEndsOnSigterm(service)
  const lines = linesOf(service.stdout()).map((line) => JSON.parse(line) as Record<string, unknown>)
  const messages = lines.map(({ msg }) => String(msg))
  assert.ok(messages.includes('Latchkey is running.'))
  assert.ok(
    messages.some((text) => text.startsWith('DATABSE_URL is set in the environment') && text.endsWith('DATABASE_URL?')),
  )
  assert.ok(messages.some((text) => text.startsWith('BASE_URL is plain http on a public name')))
  assert.doesNotMatch(service.stdout(), /setup#secret|hunter2/)
  assert.match(service.stderr(), /^There is no administrator yet\. Set up the first one: \S+\/setup#secret=\S+\n$/)
})

test('the link of a mail is not in the output', async (t) => {
  const service = await start(t)
  await waitUntilUp(service)
  const body = JSON.stringify({ email: 'ada@example.com', password: 'correct horse battery staple' })
  await fetch(`${service.url}/api/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  const [line] = await service.waitForOutput(/^.*Mail written to the outbox.*$/m)
  assert.match(line, /"file":"outbox\/[\w-]+\.eml"/)
  await assertEndsOnSigterm(service)
  assert.doesNotMatch(service.output(), /verify-email|token=|ev_/)
})

test('a service whose standard output closes during the start still serves, and ends on SIGTERM', async (t) => {
  const service = await start(t)
  await once(service.child.stdout, 'data')
  service.child.stdout.destroy()
  await waitUntilUp(service)
  for (let n = 0; n < 20; n++) assert.ok(await isHealthy(service))
  await service.waitForOutput(/latchkey: Standard output can't be written \(EPIPE\)\. The service continues/)
  await assertEndsOnSigterm(service)
})

test('a service whose standard output closes before the first line still serves, and ends on SIGTERM', async (t) => {
  const service = await start(t)
  service.child.stdout.destroy()
  await waitUntilUp(service)
  assert.ok(await isHealthy(service))
  await assertEndsOnSigterm(service)
})

test('closing both output streams later does not affect requests', async (t) => {
  const service = await start(t)
  await waitUntilUp(service)
  service.child.stdout.destroy()
  service.child.stderr.destroy()
  for (let n = 0; n < 50; n++) assert.ok(await isHealthy(service))
  await assertEndsOnSigterm(service)
})

test('a reader of standard output that stops reading delays neither requests nor the shutdown', async (t) => {
  const service = await start(t)
  await waitUntilUp(service)
  service.child.stdout.pause()
  // Far more output than fits in the buffer of a pipe.
  for (let n = 0; n < 40; n++) {
    const many = await Promise.all(Array.from({ length: 25 }, () => isHealthy(service)))
    assert.ok(many.every(Boolean))
  }
  service.child.kill('SIGTERM')
  await once(service.child, 'exit')
  assert.equal(service.child.exitCode, 0)
  service.child.stdout.resume()
})

onEachEngine('a clean shutdown', (engine) => {
  test('logs nothing at error level, even with requests, streams and probes in progress', async (t) => {
    const storage = await createStorage(engine)
    t.after(storage.remove)
    const replica = await startReplica(t, storage, { environment: { DATA_DIR: storage.dataDir } })
    const json = { email: 'ada@example.com', password: 'correct horse battery staple' }
    const cookie = sessionOf(await sendRequest(replica.address, 'POST', '/api/auth/register', { json }))
    const stream = sendRequest(replica.address, 'GET', '/api/notifications/stream', { cookie })
    const stopped = new AbortController()
    const probes = new Set<number>()
    const probe = async () => {
      while (!stopped.signal.aborted) {
        await sendRequest(replica.address, 'GET', '/readyz').then(
          ({ status }) => probes.add(status),
          () => {},
        )
      }
    }
    const login = async () => {
      while (!stopped.signal.aborted) {
        await sendRequest(replica.address, 'POST', '/api/auth/login', { json }).catch(() => {})
      }
    }
    // Logins take long on a busy machine. The probes do not wait for them, so that some arrive during the shutdown.
    const probing = [probe(), login()]
    await until(async () => probes.has(200))
    assert.equal(await replica.stop(), 0)
    stopped.abort()
    await Promise.all([stream, ...probing])
    assert.ok(probes.has(503), 'readiness is refused during the shutdown')
    const lines = linesOf(replica.output()).filter((line) => line.startsWith('{'))
    const levels = new Set(lines.map((line) => (JSON.parse(line) as { level: string }).level))
    assert.ok(levels.has('info'))
    assert.deepEqual(
      [...levels].filter((level) => level === 'error' || level === 'fatal'),
      [],
    )
  })
})
