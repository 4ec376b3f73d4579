import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ORIGIN, sharedApp, startApp } from '../../support/app.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'

const shared = sharedApp()
const FOREIGN_ORIGINS = [
  'https://evil.example',
  'null',
  `${ORIGIN}.evil.example`,
  'https://localhost:3000',
  'http://localhost:3001',
  'http://localhost',
  'HTTP://LOCALHOST:3000',
]

test('a change requested by a page of another origin answers 403 and changes nothing', async () => {
  const person = await signedInPerson(shared())
  for (const origin of FOREIGN_ORIGINS) {
    const response = await person.patch('/api/account/profile', { displayName: 'Evil' }, { origin })
    assert.equal(response.statusCode, 403, origin)
    assert.equal(response.json().code, 'foreign_origin')
    assert.equal(response.headers['access-control-allow-origin'], undefined)
    assert.equal((await person.post('/api/auth/logout', undefined, { origin })).statusCode, 403)
  }
  assert.equal((await person.get('/api/account/profile')).json().displayName, null)
})

test('a login from a page of another origin answers 403', async () => {
  const response = await anonymous(shared()).post(
    '/api/auth/login',
    { email: 'a@example.com', password: 'x' },
    { origin: 'https://evil.example' },
  )
  assert.equal(response.statusCode, 403)
  assert.equal(response.headers['set-cookie'], undefined)
})

test('without an Origin header, Sec-Fetch-Site decides whether a change is allowed', async () => {
  const { app } = shared()
  const person = await signedInPerson(shared())
  const patch = (site: string | undefined) =>
    app.inject({
      method: 'PATCH',
      url: '/api/account/profile',
      headers: {
        cookie: `session=${person.cookie}`,
        'content-type': 'application/json',
        ...(site === undefined ? {} : { 'sec-fetch-site': site }),
      },
      payload: '{}',
    })
  for (const site of [undefined, 'same-origin', 'same-site', 'none'])
    assert.equal((await patch(site)).statusCode, 200, String(site))
  for (const site of ['cross-site', 'nonsense', '']) assert.equal((await patch(site)).statusCode, 403, site)
})

test('body types that an HTML form of another page can send answer 415', async () => {
  const person = await signedInPerson(shared())
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain; application/json',
  ]) {
    assert.equal(
      (await person.patch('/api/account/profile', '{"displayName":"Evil"}', { 'content-type': type })).statusCode,
      415,
      type,
    )
  }
})

test('dashboard endpoints allow the dashboard origin with credentials, and no other origin', async () => {
  const own = await anonymous(shared()).get('/api/auth/me')
  assert.equal(own.headers['access-control-allow-origin'], ORIGIN)
  assert.equal(own.headers['access-control-allow-credentials'], 'true')
  assert.match(String(own.headers.vary), /Origin/)
  for (const origin of FOREIGN_ORIGINS) {
    const other = await anonymous(shared()).get('/api/auth/me', undefined, { origin })
    assert.equal(other.headers['access-control-allow-origin'], undefined, origin)
    assert.equal(other.headers['access-control-allow-credentials'], undefined)
    assert.match(String(other.headers.vary), /Origin/)
  }
})

test('a preflight is answered for the dashboard and refused to others, and public endpoints answer anybody', async () => {
  const preflight = (origin: string, url: string, method: string) => {
    const headers: Record<string, string> = { origin, 'access-control-request-method': method }
    return shared().app.inject({ method: 'OPTIONS', url, headers })
  }
  const own = await preflight(ORIGIN, '/api/account/profile', 'PATCH')
  assert.equal(own.statusCode, 204)
  assert.equal(own.headers['access-control-allow-origin'], ORIGIN)
  assert.match(String(own.headers['access-control-allow-methods']), /PATCH/)
  assert.match(String(own.headers['access-control-allow-headers']), /Content-Type.*X-Latchkey-User/)
  const other = await preflight('https://evil.example', '/api/account/profile', 'PATCH')
  assert.equal(other.headers['access-control-allow-methods'], undefined)
  for (const url of ['/oauth/token', '/oauth/device_authorization']) {
    const { headers } = await preflight('https://app.example', url, 'POST')
    assert.equal(headers['access-control-allow-origin'], '*', url)
    assert.match(String(headers['access-control-allow-headers']), /Authorization/, url)
  }
})

test('public endpoints allow any origin without credentials, also in error responses', async () => {
  const person = anonymous(shared())
  for (const [url, status] of [
    ['/healthz', 200],
    ['/.well-known/openid-configuration', 200],
    ['/ssh/ca.pub', 200],
    ['/ssh/host-ca.pub', 200],
    ['/ssh/host-krl', 200],
    ['/ssh/known_hosts', 200],
    ['/oauth/device_authorization', 405],
    ['/ssh/krl?format=nonsense', 400],
    ['/oauth/userinfo', 401],
  ] as const) {
    const response = await person.get(url, undefined, { origin: 'https://evil.example' })
    assert.equal(response.statusCode, status, url)
    assert.equal(response.headers['access-control-allow-origin'], '*', url)
    assert.equal(response.headers['access-control-allow-credentials'], undefined, url)
  }
})

test('pages of an allowed origin may read WWW-Authenticate, Retry-After and X-Request-Id, and other pages may not', async () => {
  const readable = async (url: string, origin: string) =>
    (await anonymous(shared()).get(url, undefined, { origin })).headers['access-control-expose-headers']
  const exposed = 'WWW-Authenticate, Retry-After, X-Request-Id'
  assert.equal(await readable('/oauth/userinfo', 'https://app.example'), exposed)
  assert.equal(await readable('/ssh/krl?format=nonsense', 'https://app.example'), exposed)
  assert.equal(await readable('/api/auth/sessions', ORIGIN), exposed)
  assert.equal(await readable('/api/auth/sessions', 'https://evil.example'), undefined)
})

test('a redirect to an application sends no referrer', async () => {
  const { headers } = await anonymous(shared()).get('/oauth/authorize?client_id=nobody')
  assert.equal(headers['referrer-policy'], 'no-referrer')
})

test('answers of the dashboard’s API are not cached, and their type is not sniffed', async () => {
  for (const url of ['/api/auth/me', '/api/auth/sessions', '/api/nothing']) {
    const { headers } = await anonymous(shared()).get(url)
    assert.equal(headers['cache-control'], 'no-store', url)
    assert.equal(headers['x-content-type-options'], 'nosniff', url)
  }
})

test('pages have a strict content security policy, can’t be framed, and load nothing from third parties', async () => {
  for (const url of ['/', '/login', '/consent', '/setup', '/account/sessions', '/admin/users']) {
    const { statusCode, headers, body } = await anonymous(shared()).get(url)
    assert.equal(statusCode, 200, url)
    assert.match(String(headers['content-type']), /text\/html/)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.match(policy, /script-src 'self'/)
    assert.doesNotMatch(policy, /script-src[^;]*unsafe/)
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.doesNotMatch(body, /(src|href)="https?:/)
    assert.doesNotMatch(body, /<script>/)
  }
})

test('X-Forwarded-For and geolocation headers are used only when a trusted proxy sends them', async (t) => {
  const forwarded = {
    'x-forwarded-for': '203.0.113.9',
    'cf-ipcountry': 'NO',
    'cf-ipcity': 'Troms%C3%B8',
    'cf-region': 'Troms',
  }
  const geoHeaders = { country: 'cf-ipcountry', city: 'cf-ipcity', region: 'cf-region' }
  const seen = async (trustProxy: string[] | number | undefined) => {
    const app = await startApp(t, { config: { trustProxy, geoHeaders } })
    await anonymous(app).post(
      '/api/auth/register',
      { email: 'geo@example.com', password: 'correct horse battery staple' },
      forwarded,
    )
    const [row] = await app.services.db.read.selectFrom('sessions').selectAll().execute()
    return [row?.ip_address, row?.country, row?.city, row?.region]
  }
  assert.deepEqual(await seen(undefined), ['127.0.0.1', null, null, null])
  assert.deepEqual(await seen(['10.0.0.0/8']), ['127.0.0.1', null, null, null])
  assert.deepEqual(await seen(['127.0.0.0/8']), ['203.0.113.9', 'NO', 'Tromsø', 'Troms'])
  assert.deepEqual(await seen(1), ['203.0.113.9', 'NO', 'Tromsø', 'Troms'])
  forwarded['cf-ipcity'] = 'a%00b%0ac'
  assert.deepEqual(await seen(1), ['203.0.113.9', 'NO', 'abc', 'Troms'])
})
