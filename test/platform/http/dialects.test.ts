import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { sql } from 'kysely'
import { ORIGIN, sharedApp, startApp } from '../../support/app.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'

const shared = sharedApp()

test('an unknown route answers 404 in our error format, with a request id that is also in the log', async () => {
  const response = await anonymous(shared()).get('/api/nothing?secret=1')
  assert.equal(response.statusCode, 404)
  assert.deepEqual(response.json(), {
    error: 'There is nothing at /api/nothing.',
    code: 'not_found',
    reason: 'nothing_at',
    values: { path: '/api/nothing' },
  })
  const id = String(response.headers['x-request-id'])
  assert.match(id, /^[0-9a-f-]{36}$/)
  const line = shared()
    .logged()
    .split('\n')
    .find((each) => each.includes(id))
  assert.ok(line)
  assert.doesNotMatch(line, /secret/)
})

test('a browser at an unknown path gets a page of the dashboard with 404, and below the APIs it gets JSON', async () => {
  const accept = { accept: 'text/html,application/xhtml+xml' }
  const page = await anonymous(shared()).get('/nowhere', undefined, accept)
  assert.equal(page.statusCode, 404)
  assert.match(String(page.headers['content-type']), /text\/html/)
  assert.match(String(page.headers['content-security-policy']), /frame-ancestors 'none'/)
  for (const url of ['/api/nowhere', '/oauth/nowhere', '/assets/nowhere.js']) {
    const data = await anonymous(shared()).get(url, undefined, accept)
    assert.equal(data.statusCode, 404)
    assert.match(String(data.headers['content-type']), /json/, url)
  }
})

test('a path that is no route is answered in the format of the routes beside it', async () => {
  const formats = {
    '/oauth/nowhere': 'error_description',
    '/oauth/authorize/nowhere': 'error_description',
    '/oauth/token/nowhere': 'error_description',
    '/oauth/%zz': 'error_description',
    '/oauth/clients/one/nowhere': 'code',
    '/oauth/details/nowhere': 'code',
    '/oauth/device/%zz': 'code',
    '/api/nowhere': 'code',
    '/nowhere': 'code',
  }
  for (const [url, field] of Object.entries(formats)) {
    const response = await anonymous(shared()).get(url)
    assert.ok(field in response.json<object>(), `${url}: ${response.body}`)
  }
})

test('a path that can’t be decoded has headers of ours, but not where a proxy asks', async () => {
  for (const url of ['/api/%zz', '/oauth/%zz', '/%zz'])
    assert.ok((await anonymous(shared()).get(url)).headers['content-security-policy'], url)
  for (const url of ['/api/authz/%zz', '/.latchkey/%zz'])
    assert.equal((await anonymous(shared()).get(url)).headers['content-security-policy'], undefined, url)
})

test('a request id that the client sends is ignored', async () => {
  const response = await anonymous(shared()).get('/healthz', undefined, { 'x-request-id': 'chosen' })
  assert.match(String(response.headers['x-request-id']), /^[0-9a-f-]{36}$/)
})

test('a wrong method answers 405 with Allow, and OPTIONS returns the same Allow', async () => {
  for (const method of ['PUT', 'PATCH', 'DELETE', 'TRACE'] as const) {
    const response = await shared().app.inject({ method, url: '/api/auth/login', headers: { origin: ORIGIN } })
    assert.equal(response.statusCode, 405, method)
    assert.equal(response.headers.allow, 'POST, OPTIONS')
    assert.equal(response.json().code, 'method_not_allowed')
  }
  const options = await shared().app.inject({ method: 'OPTIONS', url: '/api/auth/login' })
  assert.equal(options.statusCode, 204)
  assert.equal(options.headers.allow, 'POST, OPTIONS')
})

test('HEAD answers as GET does, without a body', async () => {
  const response = await shared().app.inject({ method: 'HEAD', url: '/healthz' })
  assert.equal(response.statusCode, 200)
  assert.equal(response.body, '')
})

test('malformed bodies answer 4xx with an error message and a code', async () => {
  const login = (body: string | Buffer, headers = {}) => anonymous(shared()).post('/api/auth/login', body, headers)
  const cases: [string, string | Buffer, number, object?][] = [
    ['not JSON', '{"email":', 400],
    ['an empty body', '', 400],
    ['a bare value', '42', 400],
    ['null', 'null', 400],
    ['an array', '[]', 400],
    ['bad UTF-8', Buffer.from('{"email":"\xff\xfe"}', 'latin1'), 400],
    ['__proto__', '{"__proto__":{"admin":true},"email":"a@example.com","password":"x"}', 400],
    ['an escaped __proto__', '{"__proto\\u005f_":{},"email":"a@example.com","password":"x"}', 400],
    ['constructor', '{"constructor":{"prototype":{}},"email":"a@example.com","password":"x"}', 400],
    ['a name given twice', '{"email":"a@example.com","email":"b@example.com","password":"x"}', 400],
    [
      'a name given twice, far from its colon',
      `{"email":"a@example.com","email"${' '.repeat(90)}:"b@example.com","password":"x"}`,
      400,
    ],
    [
      'a name given twice, once with an escape',
      '{"email":"a@example.com","em\\u0061il":"b@example.com","password":"x"}',
      400,
    ],
    ['100,000 levels', '['.repeat(100_000) + ']'.repeat(100_000), 400],
    ['300 KB', JSON.stringify({ email: 'x'.repeat(300_000) }), 413],
    ['text/plain', '{}', 415, { 'content-type': 'text/plain' }],
    ['a form', 'email=a', 415, { 'content-type': 'application/x-www-form-urlencoded' }],
    ['multipart', 'x', 415, { 'content-type': 'multipart/form-data; boundary=x' }],
    ['gzip', Buffer.from([31, 139]), 415, { 'content-encoding': 'gzip' }],
    ['a nonsense type', '{}', 415, { 'content-type': 'application/jsonp' }],
  ]
  for (const [name, body, status, headers] of cases) {
    const response = await login(body, headers)
    assert.equal(response.statusCode, status, name)
    const { error, code } = response.json()
    assert.ok(typeof error === 'string' && /^[a-z_]+$/.test(code), name)
    assert.doesNotMatch(response.body, /\bat \/|node_modules|\.ts:/, name)
  }
})

test('no other spelling of a path reaches a guarded route without its guard', async () => {
  const paths = [
    '/api//auth/me',
    '/api/auth/%6de',
    '/api/auth/me/',
    '/api/./auth/me',
    '/API/auth/me',
    '/api/auth/me;x',
    '/api/auth/..%2fauth/me',
    '/api/auth/me%00',
    '//api/auth/me',
    '/api/auth/me%2f',
  ]
  for (const url of paths) {
    const response = await shared().app.inject({ method: 'GET', url })
    assert.ok([400, 401, 404].includes(response.statusCode), `${url}: ${response.statusCode}`)
  }
})

test('a malformed URL, a malformed request line and oversized headers are refused, and the server keeps running', async (t) => {
  const app = await startApp(t)
  const address = new URL(await app.listen())
  const send = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(address.port), address.hostname, () => socket.end(text))
      let received = ''
      socket.on('data', (chunk) => (received += chunk.toString()))
      socket.on('close', () => resolve(received))
      socket.on('error', reject)
    })
  const refused: [string, number][] = [
    ['GET /api/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    ['NONSENSE\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(70_000)}\r\n\r\n`, 431],
  ]
  for (const [request, status] of refused) {
    const answer = await send(request)
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `))
    assert.match(answer, /x-request-id: [0-9a-f-]{36}/)
    assert.match(answer, /nosniff/)
    assert.match(answer, /"code":"[a-z_]+"/)
  }
  assert.match(await send('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'), /^HTTP\/1\.1 200/)
})

test('an unexpected error returns no details to the client, and is logged with its request id and source lines', async (t) => {
  const app = await startApp(t)
  const person = await signedInPerson(app)
  await app.services.db.transaction(async (trx) => {
    await sql`drop table known_devices`.execute(trx)
    await sql`alter table users rename column password_hash to gone`.execute(trx)
  })
  const response = await anonymous(app).post('/api/auth/login', {
    email: person.user.email,
    password: 'whatever it is',
  })
  assert.equal(response.statusCode, 500)
  const error = 'Something went wrong on our side.'
  assert.deepEqual(response.json(), { error, code: 'internal_error', reason: 'internal_error' })
  const id = String(response.headers['x-request-id'])
  assert.match(app.logged(), new RegExp(`"requestId":"${id}","err":.*"at":\\["src/.*"A request failed\\."`))
  assert.doesNotMatch(app.logged(), /password_hash/, 'no SQL in the log')
})

test('a limit out of range, a forged cursor and a parameter given twice answer 400', async () => {
  const admin = await signedInPerson(shared(), { admin: true })
  for (const query of [
    'limit=0',
    'limit=201',
    'limit=x',
    'limit=1.5',
    'limit=',
    'cursor=forged',
    'cursor=W10',
    'limit=1&limit=2',
    'cursor=a&cursor=b',
  ]) {
    assert.equal((await admin.get(`/api/admin/users?${query}`)).statusCode, 400, query)
  }
})
