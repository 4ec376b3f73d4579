import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { addGauge } from '../../../src/platform/metrics/metrics.ts'
import { serveMetrics } from '../../../src/platform/metrics/serve-metrics.ts'
import { issue, saveKey } from '../../ssh/public-keys.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { credentials, getTokens, postForm, refresh, registerApplication } from '../../support/application.ts'
import { startCuttableProxy } from '../../support/cuttable-proxy.ts'
import { createStorage, onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'
import { until } from '../../support/replicas.ts'
import { assertWithin } from '../../support/speed.ts'
import { readDocument } from './document.ts'
import { readExposition } from './exposition.ts'

const ANY_PORT = { host: '127.0.0.1', port: 0 }

/** Buckets of the duration of a request, in seconds. */
const DURATION_BUCKETS = '0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 +Inf'.split(' ')

const scrape = async ({ services }: TestApp) => readExposition((await services.metrics?.render()) ?? '')

onEachEngine('metrics', (engine) => {
  test('count requests by route, method and status, and all unknown routes as one', async (t) => {
    const app = await startApp(t, { engine, config: { metricsAddress: ANY_PORT } })
    const visitor = anonymous(app)
    for (let index = 0; index < 3; index++) await visitor.get(`/nothing/at/${index}`)
    await visitor.get('/api/auth/me')
    await visitor.get('/api/auth/me?token=in-the-query')
    await visitor.delete('/healthz')
    await visitor.get('/api/account/profile/avatar?user=usr_somebody')
    const { value, samples } = await scrape(app)
    const requests = (method: string, route: string, status: string) =>
      value('latchkey_http_requests_total', { method, route, status })
    assert.equal(requests('any', 'unknown', '404'), 3)
    assert.equal(requests('GET', '/api/auth/me', '401'), 2)
    assert.equal(requests('DELETE', '/healthz', '405'), 1)
    assert.equal(value('latchkey_refusals_total', { code: 'unauthenticated' }), 2)
    const timed = { method: 'GET', route: '/api/auth/me' }
    assert.equal(value('latchkey_http_request_duration_seconds_count', timed), 2)
    assert.ok(value('latchkey_http_request_duration_seconds_sum', timed) > 0)
    assert.ok([...samples.keys()].every((key) => !/nothing|usr_|in-the-query/.test(key)))
  })

  test('count sign-ins by method and outcome, tokens by grant, certificates issued and revoked', async (t) => {
    const app = await startApp(t, { engine, config: { metricsAddress: ANY_PORT } })
    const visitor = anonymous(app)
    const account = { email: 'ada@example.com', password: 'correct horse battery staple' }
    await visitor.post('/api/auth/register', account)
    await visitor.post('/api/auth/login', account)
    await visitor.post('/api/auth/login', { ...account, password: 'wrong' })
    const application = await registerApplication(app)
    const person = await signedInPerson(app, { admin: true })
    const tokens = await getTokens(app, person, application)
    await refresh(app, application, tokens.refresh_token ?? '')
    const machine = { grant_type: 'client_credentials', ...credentials(application) }
    await postForm(app, '/oauth/token', machine)
    await postForm(app, '/oauth/token', { ...machine, client_secret: 'wrong' })
    await postForm(app, '/oauth/token', { ...machine, client_id: 'unknown' })
    const key = await saveKey(person)
    const [first] = [await issue(person, key), await issue(person, key), await issue(person, key)]
    await person.post(`/api/ssh/certs/${first.id}/revoke`, {})
    await visitor.get('/ssh/krl?format=krl')
    await person.delete(`/api/ssh/keys/${key}`)
    app.clock.advance(5000)

    const { value, types } = await scrape(app)
    const logins = (method: string, outcome: string) => value('latchkey_logins_total', { method, outcome })
    assert.ok(logins('password', 'success') >= 1)
    assert.deepEqual([logins('password', 'refused'), logins('passkey', 'success')], [1, 0])
    const issued = (grant: string) => value('latchkey_tokens_issued_total', { grant })
    assert.deepEqual(['authorization_code', 'refresh_token', 'client_credentials'].map(issued), [1, 1, 1])
    assert.equal(value('latchkey_ssh_certificates_issued_total'), 3)
    assert.equal(value('latchkey_ssh_certificates_revoked_total'), 3)
    assert.equal(value('latchkey_refusals_total', { code: 'invalid_client' }), 2)
    assert.equal(value('latchkey_unknown_client_requests_total'), 1)
    assert.equal(value('latchkey_krl_serials'), 1)
    assert.ok(value('latchkey_krl_bytes') > 50)
    assert.equal(value('latchkey_krl_age_seconds'), 5)
    const failed = { action: 'oauth_client.authentication_failed', outcome: 'refused' }
    assert.equal(value('latchkey_audit_events_total', failed), 1)
    assert.equal(types.get('latchkey_http_request_duration_seconds'), 'histogram')
  })

  test('report queues, connections, streams, the event loop and the process', async (t) => {
    const app = await startApp(t, { engine, config: { metricsAddress: ANY_PORT } })
    const person = await signedInPerson(app)
    const before = await scrape(app)
    assert.deepEqual([before.value('latchkey_database_up'), before.value('latchkey_mail_queued')], [1, 0])
    await person.post('/api/auth/verify-email/resend')
    await person.post('/api/auth/password-reset', { email: person.user.email })
    const { value, samples } = await scrape(app)
    const stored = await app.services.db.read.selectFrom('outgoing_mail').selectAll().execute()
    assert.ok(stored.length > 0)
    assert.equal(value('latchkey_mail_queued'), stored.length)
    assert.ok(value('process_resident_memory_bytes') > 1e7)
    assert.ok(value('process_cpu_seconds_total') > 0)
    assert.ok(Math.abs(value('process_start_time_seconds') - (Date.now() / 1000 - process.uptime())) < 5)
    for (const name of ['p50', 'p99', 'max']) assert.ok(samples.has(`nodejs_eventloop_lag_${name}_seconds[]`))
    assert.ok(samples.has('latchkey_streams_open[]') && samples.has('latchkey_lifecycle_actions_pending[]'))
    assert.equal(samples.has('latchkey_writes_waiting[]'), engine === 'sqlite')
    assert.equal(samples.has('latchkey_pool_connections[]'), engine === 'postgres')
    if (engine === 'postgres') assert.ok(value('latchkey_pool_connections') >= 1)
  })

  test('are exactly those that docs/metrics.md lists, with the same types and labels, and more of Node', async (t) => {
    const app = await startApp(t, { engine, config: { metricsAddress: ANY_PORT } })
    await signedInPerson(app)
    await anonymous(app).get('/api/auth/me')
    await anonymous(app).get('/ssh/krl?format=krl')
    const { types, samples } = await scrape(app)
    const documented = readDocument(await readFile('docs/metrics.md', 'utf8'))
    const served = [...types].filter(([name]) => documented.has(name) || name.startsWith('latchkey_'))
    assert.deepEqual(new Map(served), new Map([...documented].map(([name, { type }]) => [name, type])))
    const bounds: string[] = []
    for (const key of samples.keys()) {
      const name = key.slice(0, key.indexOf('['))
      const family = types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')
      if (!documented.has(family)) continue
      const labels = JSON.parse(key.slice(name.length)) as [string, string][]
      const names = labels.map(([label]) => label).filter((label) => label !== 'le')
      assert.deepEqual(names, documented.get(family)?.labels, key)
      if (labels.some(([, value]) => value === '/api/auth/me')) {
        bounds.push(...labels.filter(([label]) => label === 'le').map(([, value]) => value))
      }
    }
    assert.deepEqual(bounds, DURATION_BUCKETS)
  })

  test('contain no secret and no personal data', async (t) => {
    const app = await startApp(t, { engine, config: { metricsAddress: ANY_PORT } })
    const person = await signedInPerson(app, { admin: true })
    const application = await registerApplication(app)
    const tokens = await getTokens(app, person, application)
    await anonymous(app).post('/api/auth/login', { email: 'eve@example.com', password: 'a wrong password' })
    await person.get(`/api/admin/users/${person.user.id}`)
    const text = (await app.services.metrics?.render()) ?? ''
    assert.match(text, /^latchkey_logins_total\{.*\} 1$/m)
    const { clientId, secret } = application
    const { id, email } = person.user
    const unmentioned = [
      id,
      email,
      person.cookie,
      clientId,
      secret,
      tokens.access_token,
      'eve@',
      'a wrong',
      '127.0.0.1',
    ]
    for (const each of unmentioned) assert.ok(each !== undefined && !text.includes(each))
  })
})

test('metrics are served at their own address only', async (t) => {
  const app = await startApp(t, { config: { metricsAddress: ANY_PORT } })
  const { address, close } = await serveMetrics(app.services.metrics!, ANY_PORT)
  t.after(close)
  const read = await fetch(address)
  assert.equal(read.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  readExposition(await read.text())
  assert.equal((await fetch(address, { method: 'HEAD' })).status, 200)
  assert.equal((await fetch(address, { method: 'POST' })).status, 405)
  assert.equal((await fetch(new URL('/', address))).status, 404)
  assert.equal((await fetch(new URL('/readyz', address))).status, 404)
  const publicAddress = await app.listen()
  assert.equal((await fetch(`${publicAddress}/metrics`)).status, 404)
})

test('without an address for metrics, nothing is counted', async (t) => {
  const app = await startApp(t)
  assert.equal(app.services.metrics, undefined)
})

test('while the database is unavailable, the other metrics are served within a time limit', async (t) => {
  const storage = await createStorage('postgres')
  t.after(storage.remove)
  const line = await startCuttableProxy(t, storage.databaseUrl)
  const app = await startApp(t, {
    engine: 'postgres',
    storage: { ...storage, databaseUrl: line.url },
    config: { metricsAddress: ANY_PORT },
  })
  await line.cut()
  const started = performance.now()
  const { value, samples } = await scrape(app)
  assertWithin(4000, performance.now() - started)
  assert.equal(value('latchkey_database_up'), 0)
  assert.ok(!samples.has('latchkey_mail_queued[]') && samples.has('process_resident_memory_bytes[]'))
  await line.restore()
})

test('a gauge has a sample only while its value is defined', async () => {
  const registry = new Registry()
  let current: number | undefined
  addGauge(registry, 'small', 'A small number.', () => current)
  const read = async () => readExposition(await registry.metrics()).samples.get('small[]')
  assert.equal(await read(), undefined)
  current = 1.5e-7
  assert.equal(await read(), 1.5e-7)
  current = undefined
  assert.equal(await read(), undefined)
})

test('/readyz answers 503 within a time limit when the database does not answer', async (t) => {
  const storage = await createStorage('postgres')
  t.after(storage.remove)
  const line = await startCuttableProxy(t, storage.databaseUrl)
  const app = await startApp(t, {
    engine: 'postgres',
    timeoutFactor: 1,
    storage: { ...storage, databaseUrl: line.url },
  })
  line.freeze()
  const started = performance.now()
  const late = await anonymous(app).get('/readyz')
  assert.deepEqual([late.statusCode, late.json().code], [503, 'unavailable'])
  assertWithin(4000, performance.now() - started)
  line.unfreeze()
  await until(async () => (await anonymous(app).get('/readyz')).statusCode === 200)
})

test('/readyz does not answer ok while the service stops', async (t) => {
  const app = await startApp(t)
  const { port } = new URL(await app.listen())
  assert.equal((await anonymous(app).get('/readyz')).statusCode, 200)
  // An incomplete request keeps the connection open, so that the next request on it arrives while the service stops.
  const connection = createConnection(Number(port), '127.0.0.1').setEncoding('utf8')
  let received = ''
  const ended = new Promise<void>((resolve) => connection.on('close', () => resolve()))
  connection.on('data', (chunk: string) => (received += chunk))
  const head = 'Host: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n'
  const arrived = new Promise<void>((resolve) => app.app.server.once('request', () => resolve()))
  connection.write(`POST /api/auth/logout HTTP/1.1\r\n${head}`)
  await arrived
  const closing = app.close()
  connection.write('{}GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n')
  await ended
  await closing
  assert.match(received, /^HTTP\/1\.1 200 /)
  assert.doesNotMatch(received, /"status":"ok"/)
})
