import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { before, describe, test } from 'node:test'
import { sharedApp, startApp } from '../support/app.ts'
import { signedInPerson, type SignedInPerson } from '../support/people.ts'
import { authRequest, createSite, forwardAuth, handedOn, locationOf, NAVIGATION, signInAt, TRUSTING } from './visits.ts'

describe('attacks on a site', () => {
  const app = sharedApp({ config: TRUSTING })
  let admin: SignedInPerson
  let site: Awaited<ReturnType<typeof createSite>>
  let cookie: string
  /** For requests over a real connection. */
  let address: string
  before(async () => {
    address = await app().listen()
    admin = await signedInPerson(app(), { admin: true })
    site = await createSite(admin, { rules: [{ path: '/public/*', policy: 'bypass' }] })
    cookie = await signInAt(app(), admin, site.origin)
  })

  test('headers that are missing, empty, doubled or a list are refused, and so are those of the other dialect', async () => {
    const whole = {
      'x-forwarded-method': 'GET',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': site.host,
      'x-forwarded-uri': '/public/',
    }
    const ask = async (headers: Record<string, string | string[]>, path = 'forward-auth') =>
      app().app.inject({
        url: `/api/authz/${path}`,
        headers: headers as Record<string, string>,
        remoteAddress: '127.0.0.1',
      })
    assert.equal((await ask(whole)).statusCode, 200)
    for (const name of Object.keys(whole) as (keyof typeof whole)[]) {
      const { [name]: value, ...others } = whole
      assert.equal((await ask(others)).statusCode, 403, name)
      assert.equal((await ask({ ...others, [name]: '' })).statusCode, 403, name)
      assert.equal((await ask({ ...others, [name]: `${value}, ${value}` })).statusCode, 403, name)
      assert.equal(
        (await ask({ ...others, [name]: `${value},${value}` })).statusCode,
        name === 'x-forwarded-uri' ? 200 : 403,
        name,
      )
    }
    assert.equal(
      (await ask({ 'x-original-method': 'GET', 'x-original-url': `${site.origin}/public/` })).statusCode,
      403,
    )
    assert.equal((await ask(whole, 'auth-request')).statusCode, 403)
    // Over a real connection, since a header that is there twice reaches Node only so.
    const { port } = new URL(address)
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write(
          `GET /api/authz/forward-auth HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${Object.entries(whole)
            .map(([name, value]) => `${name}: ${value}\r\n`)
            .join('')}X-Forwarded-Uri: /private\r\n\r\n`,
        ),
      )
      let text = ''
      socket.on('data', (chunk) => (text += String(chunk))).on('close', () => resolve(text))
    })
    assert.match(answer, /^HTTP\/1\.1 403/)
  })

  test('a host is refused with another port, a dot at its end, user information, or when no site has it', async () => {
    const { host } = site
    for (const given of [
      `${host}:444`,
      `${host}.`,
      `x@${host}`,
      `${host}:443:443`,
      `${host}:0443`,
      'other.example',
      `${host}\\x`,
      `evil.example#${host}`,
      `${host}%2f`,
      '[::1]',
      '127.0.0.1',
      '',
    ]) {
      const [forwarded, requested] = [
        await forwardAuth(app(), { url: `https://${given}/public/`, cookie, headers: NAVIGATION }),
        await authRequest(app(), { url: `https://${given}/public/`, cookie }),
      ]
      assert.deepEqual([forwarded.statusCode, requested.statusCode], [403, 403], given)
    }
    for (const given of [host.toUpperCase(), `${host}:443`])
      assert.equal((await forwardAuth(app(), { url: `https://${given}/`, cookie })).statusCode, 200, given)
    for (const url of [
      `https://${host}`,
      `//${host}/`,
      `/public/`,
      `https:/${host}/`,
      `ftp://${host}/`,
      `https://${host}?x`,
      `HTTPS://${host}/`,
    ])
      assert.equal((await authRequest(app(), { url, cookie })).statusCode, 403, url)
  })

  test('http is refused under every policy, and no cookie helps', async () => {
    for (const scheme of ['http', 'ws'])
      for (const path of ['/', '/public/', '/.latchkey/login']) {
        const url = `${scheme}://${site.host}${path}`
        for (const answer of [await forwardAuth(app(), { url, cookie }), await authRequest(app(), { url, cookie })])
          assert.deepEqual([answer.statusCode, answer.json().code], [403, 'https_required'], url)
      }
    for (const scheme of ['https', 'wss'])
      assert.equal((await forwardAuth(app(), { url: `${scheme}://${site.host}/`, cookie })).statusCode, 200)
  })

  test('tricks with paths against a bypass rule lead to a sign-in or a refusal, in both dialects', async () => {
    for (const path of [
      '/public/../x',
      '/public/%2e%2e/x',
      '/public/..%2fx',
      '/public/%252e%252e/x',
      '/public/..;/x',
      '/public/..\\x',
      '/Public/',
      '/public',
      '//public/x/../../y',
      '/public/%00',
      '/public/%zz',
      '/%2elatchkey/login',
    ])
      for (const ask of [forwardAuth, authRequest])
        assert.ok([401, 403].includes((await ask(app(), { url: site.origin + path })).statusCode), path)
    assert.equal((await forwardAuth(app(), { url: `${site.origin}/public/?../x` })).statusCode, 200)
  })

  test('methods are upper case, and every method may be asked with and about', async () => {
    for (const method of ['get', 'GET ', 'GET,POST', '', 'A'.repeat(40)])
      assert.equal((await forwardAuth(app(), { url: `${site.origin}/public/`, method })).statusCode, 403, method)
    for (const method of ['PROPFIND', 'DELETE', 'TRACE', 'M-SEARCH'])
      assert.equal((await forwardAuth(app(), { url: `${site.origin}/public/`, method })).statusCode, 200, method)
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND', 'HEAD']) {
      const answer = await app().app.inject({
        method: method as 'POST',
        url: '/api/authz/auth-request',
        headers: {
          'x-original-method': method,
          'x-original-url': `${site.origin}/public/`,
          origin: 'https://evil.example',
          'sec-fetch-site': 'cross-site',
          'content-type': 'text/x-anything',
        },
        payload: method === 'HEAD' ? '' : 'a body that is not read',
      })
      assert.equal(answer.statusCode, 200, method)
      assert.equal(answer.headers['access-control-allow-origin'], undefined)
    }
  })

  test('an address that is too long is refused, and a long one is not carried through the sign-in', async () => {
    const long = `${site.origin}/public/${'a'.repeat(9000)}`
    for (const ask of [forwardAuth, authRequest]) assert.equal((await ask(app(), { url: long })).statusCode, 403)
    const kept = await forwardAuth(app(), { url: `${site.origin}/x?${'a'.repeat(3900)}`, headers: NAVIGATION })
    assert.match(locationOf(kept), /to=%2Fx%3Faaa/)
    const dropped = await forwardAuth(app(), { url: `${site.origin}/x?${'a'.repeat(5000)}`, headers: NAVIGATION })
    assert.equal(locationOf(dropped), `${site.origin}/.latchkey/login?to=%2F`)
  })

  test('the endpoints for proxies have one spelling, and every other one is nowhere', async () => {
    const headers = {
      'x-forwarded-method': 'GET',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': site.host,
      'x-forwarded-uri': '/public/',
      'x-original-method': 'GET',
      'x-original-url': `${site.origin}/public/`,
    }
    const ask = async (url: string) => (await app().app.inject({ url, headers, remoteAddress: '127.0.0.1' })).statusCode
    for (const name of ['forward-auth', 'auth-request']) {
      assert.equal(await ask(`/api/authz/${name}`), 200)
      assert.equal(await ask(`/api/authz/${name}?a=%61`), 200)
      for (const path of [
        `/api/%61uthz/${name}`,
        `/%61pi/authz/${name}`,
        `/api/authz/${name.replace('-', '%2d')}`,
        `/api/authz/${name.replace('-', '%2D')}`,
        `/api/authz%2f${name}`,
        `/api/authz/${name}/`,
        `/api/authz/${name}%3f`,
        `/api//authz/${name}`,
        `/API/authz/${name}`,
        `/api/authz/${name};x`,
      ])
        assert.equal(await ask(path), 404, path)
    }
    for (const path of ['/%2elatchkey/login', '/.latchke%79/login', '/.latchkey%2flogin', '/.latchkey/%6cogin'])
      assert.equal(await ask(path), 404, path)
    const { port } = new URL(address)
    const absolute = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write(
          `GET http://x/api/authz/forward-auth HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${Object.entries(headers)
            .map(([name, value]) => `${name}: ${value}\r\n`)
            .join('')}\r\n`,
        ),
      )
      let text = ''
      socket.on('data', (chunk) => (text += String(chunk))).on('close', () => resolve(text))
    })
    assert.match(absolute, /^HTTP\/1\.1 404/)
  })

  test('no answer may be kept by a cache', async () => {
    const answers = [
      await forwardAuth(app(), { url: `${site.origin}/`, cookie }),
      await forwardAuth(app(), { url: `${site.origin}/`, headers: NAVIGATION }),
      await authRequest(app(), { url: `${site.origin}/` }),
      await forwardAuth(app(), { url: `https://other.example/`, headers: NAVIGATION }),
      await forwardAuth(app(), { url: `${site.origin}/.latchkey/login` }),
      await handedOn(app(), { url: `${site.origin}/.latchkey/nothing` }),
    ]
    for (const { headers, statusCode } of answers)
      assert.deepEqual([headers['cache-control'], headers['vary']], ['no-store', '*'], String(statusCode))
  })
})

test('no answer binds the host of a site to https, though this service binds its own', async (t) => {
  const app = await startApp(t, { config: { ...TRUSTING, baseUrl: 'https://id.example.com' } })
  const { origin } = await createSite(await signedInPerson(app, { admin: true }), {
    rules: [
      { path: '/open', policy: 'bypass' },
      { path: '/closed', policy: 'deny' },
    ],
  })
  const statuses: number[] = []
  for (const answer of [
    await forwardAuth(app, { url: `${origin}/open` }),
    await forwardAuth(app, { url: `${origin}/`, headers: NAVIGATION }),
    await authRequest(app, { url: `${origin}/`, headers: NAVIGATION }),
    await forwardAuth(app, { url: `${origin}/closed`, headers: NAVIGATION }),
    await authRequest(app, { url: 'https://other.example/', from: '192.0.2.1' }),
    await forwardAuth(app, { url: `${origin}/.latchkey/login` }),
    await forwardAuth(app, { url: `${origin}/.latchkey/logout`, method: 'POST' }),
    await handedOn(app, { url: `${origin}/.latchkey/logout` }),
    await handedOn(app, { url: `${origin}/.latchkey/${'a'.repeat(500)}`, headers: NAVIGATION }),
    await handedOn(app, { url: `${origin}/.latchkey/%zz`, headers: NAVIGATION }),
  ]) {
    statuses.push(answer.statusCode)
    for (const name of ['strict-transport-security', 'access-control-allow-origin', 'clear-site-data'])
      assert.equal(answer.headers[name], undefined, `${name} with ${answer.statusCode}`)
    assert.ok(answer.headers['x-request-id'])
  }
  assert.deepEqual(statuses, [200, 302, 401, 403, 403, 302, 405, 302, 404, 400])
  assert.ok((await app.app.inject('/api/authz/sign-in')).headers['strict-transport-security'])
  // Headers that are too large are refused before anybody knows which path they are for.
  const response = await fetch(`${await app.listen()}/api/authz/forward-auth`, {
    headers: { 'x-large': 'x'.repeat(70_000) },
  })
  assert.deepEqual([response.status, response.headers.get('strict-transport-security')], [431, null])
})
