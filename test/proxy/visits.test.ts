import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { sharedApp } from '../support/app.ts'
import { MAIN_ENGINE, onEachEngine } from '../support/engines.ts'
import { anonymous, signedInPerson, type SignedInPerson, signIn } from '../support/people.ts'
import {
  authRequest,
  cookiesOf,
  createSite,
  forwardAuth,
  handedOn,
  locationOf,
  NAVIGATION,
  newHostName,
  signInAt,
  TRUSTING,
} from './visits.ts'

const FIVE = ['remote-user', 'remote-email', 'remote-name', 'remote-groups', 'remote-jwt']
const NOT_OURS = ['strict-transport-security', 'access-control-allow-origin', 'clear-site-data']

onEachEngine('a request to a site', (engine) => {
  const app = sharedApp({ engine, config: TRUSTING })
  let admin: SignedInPerson
  before(async () => {
    admin = await signedInPerson(app(), { admin: true })
  })
  const newRole = async (name: string): Promise<string> =>
    (await admin.post('/api/admin/roles', { name })).json().role.id

  test('a code lets in once, also when it comes twice at the same moment, with a cookie that lives as that of the session', async () => {
    // The paths of the sign-in are there under every policy.
    const { id, origin } = await createSite(admin, { rules: [{ path: '/*', policy: 'deny' }] })
    const person = await signedInPerson(app())
    await app().services.db.transaction((trx) =>
      trx.updateTable('sessions').set({ remembered: 0 }).where('id', '=', person.sessionId).execute(),
    )
    const begun = await forwardAuth(app(), { url: `${origin}/.latchkey/login?to=/x`, headers: NAVIGATION })
    const back = await person.get(locationOf(begun).replace('http://localhost:3000', ''))
    const arrive = () => forwardAuth(app(), { url: locationOf(back), cookie: cookiesOf(begun).join('; ') })
    const [one, two] = (await Promise.all([arrive(), arrive()])).toSorted((a, b) => a.statusCode - b.statusCode)
    assert.deepEqual([one?.statusCode, two?.statusCode, two?.headers['set-cookie']], [302, 403, undefined])
    const set = [one?.headers['set-cookie'] ?? []].flat().find((line) => line.startsWith('__Host-latchkey-proxy='))
    assert.match(set ?? '', /^__Host-latchkey-proxy=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    await admin.patch(`/oauth/clients/${id}`, { rules: [] })
    const [cookie = ''] = set?.split(';') ?? []
    const { statusCode, headers } = await forwardAuth(app(), { url: `${origin}/x`, cookie })
    // A person without a name and with an address that is not confirmed: the headers are there, and empty.
    assert.deepEqual([statusCode, headers['remote-email'], headers['remote-groups']], [200, '', ''])
    for (const name of FIVE) assert.equal(typeof headers[name], 'string', name)
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('a visitor signs in at a site of another domain, arrives at the page that was asked for, and is named to the application', async () => {
    const { origin, host } = await createSite(admin)
    const url = `${origin}/deep/link?a=1&b=%2F`
    const sent = await forwardAuth(app(), { url, headers: NAVIGATION })
    assert.equal(sent.statusCode, 302)
    assert.equal(locationOf(sent), `${origin}/.latchkey/login?to=%2Fdeep%2Flink%3Fa%3D1%26b%3D%252F`)
    assert.equal(sent.headers['cache-control'], 'no-store')
    const begun = await forwardAuth(app(), { url: locationOf(sent), headers: NAVIGATION })
    assert.equal(begun.statusCode, 302)
    const [setCookie = ''] = [begun.headers['set-cookie'] ?? []].flat()
    assert.match(
      setCookie,
      /^__Host-latchkey-proxy-[\w-]{22}=[\w.-]+; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=600$/,
    )
    const signInPath = locationOf(begun).replace('http://localhost:3000', '')
    assert.match(signInPath, /^\/api\/authz\/sign-in\?host=/)

    const asked = await anonymous(app()).get(signInPath)
    assert.equal(asked.statusCode, 302)
    const login = new URL(locationOf(asked))
    assert.equal(login.pathname, '/login')
    const person = await signedInPerson(app())
    await admin.patch(`/api/admin/users/${person.user.id}`, { displayName: 'Åsa "Ö" 日本', email_verified: true })
    await admin.post(`/api/admin/users/${person.user.id}/roles`, { roleId: await newRole('Ärzte') })
    await admin.post(`/api/admin/users/${person.user.id}/roles`, { roleId: await newRole('a, b') })
    const back = await person.get(login.searchParams.get('return_to') ?? '')
    assert.equal(back.statusCode, 302, back.body)
    assert.match(locationOf(back), new RegExp(`^https://${host}/\\.latchkey/callback\\?code=[\\w-]{43}&state=`))
    const arrived = await forwardAuth(app(), {
      url: locationOf(back),
      cookie: cookiesOf(begun).join('; '),
      headers: NAVIGATION,
    })
    assert.equal(arrived.statusCode, 302, arrived.body)
    assert.equal(locationOf(arrived), url)
    const cookies = [arrived.headers['set-cookie'] ?? []].flat()
    assert.equal(cookies.length, 2)
    assert.match(cookies[0] ?? '', /^__Host-latchkey-proxy-[\w-]{22}=; .*Max-Age=0$/)
    assert.match(
      cookies[1] ?? '',
      /^__Host-latchkey-proxy=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=25\d{5}$/,
    )

    const cookie = cookiesOf(arrived).join('; ')
    for (const ask of [forwardAuth, authRequest]) {
      const answer = await ask(app(), {
        url,
        method: 'POST',
        cookie: `session=x; ${cookie}`,
        headers: { 'remote-user': 'root' },
      })
      assert.equal(answer.statusCode, 200, answer.body)
      assert.equal(answer.body, '')
      const utf8 = (name: string) => Buffer.from(String(answer.headers[name]), 'latin1').toString()
      assert.equal(answer.headers['remote-user'], person.user.preferredUsername)
      assert.equal(answer.headers['remote-email'], person.user.email)
      assert.equal(utf8('remote-name'), 'Åsa "Ö" 日本')
      assert.equal(utf8('remote-groups'), 'Ärzte')
      assert.equal(answer.headers['cache-control'], 'no-store')
      assert.ok(answer.headers['x-request-id'])
      for (const name of [...NOT_OURS, 'set-cookie']) assert.equal(answer.headers[name], undefined, name)
      const keys = createLocalJWKSet((await anonymous(app()).get('/.well-known/jwks.json')).json())
      const currentDate = new Date(app().clock.now())
      const jwt = String(answer.headers['remote-jwt'])
      const { payload, protectedHeader } = await jwtVerify(jwt, keys, {
        audience: origin,
        issuer: 'http://localhost:3000',
        currentDate,
        typ: 'latchkey-proxy+jwt',
        algorithms: ['ES256'],
      })
      assert.ok(protectedHeader.kid)
      assert.equal(payload.sub, person.user.id)
      assert.deepEqual(
        [payload['preferred_username'], payload['name'], payload['groups']],
        [person.user.preferredUsername, 'Åsa "Ö" 日本', ['a, b', 'Ärzte']],
      )
      assert.ok((payload.exp ?? 0) - (payload.iat ?? 0) <= 60 && payload.jti)
      // It is neither an ID token hint nor a bearer token.
      assert.equal((await anonymous(app()).get(`/oauth/logout?id_token_hint=${jwt}`)).statusCode, 400)
      assert.equal(
        (await anonymous(app()).get('/oauth/userinfo', undefined, { authorization: `Bearer ${jwt}` })).statusCode,
        401,
      )
    }
  })

  test('Remote-Jwt is used again for the same person and site while 30 seconds are left', async () => {
    const { origin } = await createSite(admin)
    const person = await signedInPerson(app())
    const cookie = await signInAt(app(), person, origin)
    const jwt = async () => (await forwardAuth(app(), { url: `${origin}/`, cookie })).headers['remote-jwt']
    const first = await jwt()
    app().clock.advance(30_000)
    assert.equal(await jwt(), first)
    app().clock.advance(1000)
    assert.notEqual(await jwt(), first)
  })

  test('whoever is not signed in gets a redirect for a page, and 401 for everything else', async () => {
    const { origin } = await createSite(admin)
    const url = `${origin}/x`
    const html = { accept: 'text/html' }
    const cases: [Parameters<typeof forwardAuth>[1], boolean][] = [
      [{ url, headers: NAVIGATION }, true],
      [{ url, headers: NAVIGATION, method: 'HEAD' }, true],
      [{ url, headers: html }, true],
      [{ url, headers: NAVIGATION, method: 'POST' }, false],
      [{ url, headers: { ...html, 'sec-fetch-mode': 'cors' } }, false],
      [{ url, headers: { ...NAVIGATION, 'x-requested-with': 'XMLHttpRequest' } }, false],
      [{ url, headers: { accept: '*/*' } }, false],
      [{ url: url.replace('https', 'wss') }, false],
      [
        { url, method: 'OPTIONS', headers: { origin: 'https://evil.example', 'access-control-request-method': 'GET' } },
        false,
      ],
    ]
    for (const [visit, isPage] of cases) {
      const [forwarded, requested] = [await forwardAuth(app(), visit), await authRequest(app(), visit)]
      assert.equal(forwarded.statusCode, isPage ? 302 : 401)
      assert.equal(requested.statusCode, 401)
      assert.equal(requested.headers['x-redirect-to'], isPage ? `${origin}/.latchkey/login?to=%2Fx` : undefined)
      for (const answer of [forwarded, requested])
        for (const name of [...NOT_OURS, 'set-cookie', 'www-authenticate'])
          assert.equal(answer.headers[name], undefined, name)
    }
  })

  test('rules, roles and who may use the site decide, at once', async () => {
    const [writers, editors] = [await newRole('Writers'), await newRole('Editors')]
    const rules = [
      { path: '/open/*', policy: 'bypass' },
      { path: '/api/*', methods: ['OPTIONS'], policy: 'bypass' },
      { path: '/edit/*', policy: 'roles', roles: [editors] },
      { path: '/never', policy: 'deny' },
    ]
    const { id, origin } = await createSite(admin, { allowedRoles: [writers], rules })
    const person = await signedInPerson(app())
    const roles = `/api/admin/users/${person.user.id}/roles`
    await admin.post(roles, { roleId: writers })
    const cookie = await signInAt(app(), person, origin)
    const statusOf = async (path: string, options = {}) =>
      (await forwardAuth(app(), { url: origin + path, cookie, ...options })).statusCode
    assert.equal(await statusOf('/'), 200)
    assert.equal(await statusOf('/edit/x'), 403)
    assert.equal(await statusOf('/never'), 403)
    assert.equal(await statusOf('/api/x', { method: 'OPTIONS', cookie: '' }), 200)
    assert.equal(await statusOf('/api/x', { cookie: '' }), 401)
    await admin.post(roles, { roleId: editors })
    assert.equal(await statusOf('/edit/x'), 200)
    await admin.delete(`${roles}/${writers}`)
    assert.equal(await statusOf('/'), 403)
    assert.equal(await statusOf('/edit/x'), 200)
    // Somebody whom the site does not admit is not named where everybody may go.
    const open = await forwardAuth(app(), { url: `${origin}/open/`, cookie })
    assert.deepEqual([open.statusCode, ...FIVE.map((name) => open.headers[name])], [200, '', '', '', '', ''])
    // A role that is deleted leaves its rule, which then admits nobody.
    const gone = await newRole('Gone')
    await admin.patch(`/oauth/clients/${id}`, {
      rules: [{ path: '/gone', policy: 'roles', roles: [gone] }, ...rules],
    })
    await admin.post(roles, { roleId: gone })
    assert.equal(await statusOf('/gone'), 200)
    await admin.delete(`/api/admin/roles/${gone}`)
    assert.equal(await statusOf('/gone'), 403)
    // A rule's role alone lets in.
    await signInAt(app(), person, `${origin}/edit/`)
    await admin.patch(`/oauth/clients/${id}`, { rules: [] })
    assert.equal(await statusOf('/edit/x'), 403)
    await admin.patch(`/oauth/clients/${id}`, { allowedRoles: null })
    assert.equal(await statusOf('/edit/x'), 200)
    const named = await forwardAuth(app(), { url: `${origin}/open/`, cookie })
    assert.equal(named.headers['remote-user'], person.user.preferredUsername)
  })

  test('somebody who may not is told so on a page: which application, as whom, another account', async () => {
    const { id, origin } = await createSite(admin, { name: '<b>Wiki</b>', allowedRoles: [] })
    const person = await signedInPerson(app())
    const begun = await forwardAuth(app(), { url: `${origin}/.latchkey/login?to=/x` })
    const refused = await person.get(locationOf(begun).replace('http://localhost:3000', ''), undefined, NAVIGATION)
    assert.equal(refused.statusCode, 403)
    await admin.patch(`/oauth/clients/${id}`, { allowedRoles: null })
    const cookie = await signInAt(app(), person, origin)
    await admin.patch(`/oauth/clients/${id}`, { allowedRoles: [] })
    const page = await forwardAuth(app(), {
      url: `${origin}/x?y=1`,
      cookie,
      headers: { ...NAVIGATION, 'accept-language': 'de' },
    })
    for (const { body, statusCode, headers } of [refused, page]) {
      assert.equal(statusCode, 403)
      assert.match(String(headers['content-type']), /text\/html/)
      assert.match(body, /&lt;b&gt;Wiki&lt;\/b&gt;/)
      assert.ok(body.includes(person.user.email))
      assert.match(body, /login\?to=%2Fx[^"]*&amp;account=another"/)
    }
    const other = await forwardAuth(app(), { url: `${origin}/.latchkey/login?to=%2Fx&account=another` })
    const chosen = await person.get(locationOf(other).replace('http://localhost:3000', ''))
    assert.match(locationOf(chosen), /^http:\/\/localhost:3000\/login\?return_to=%2Fapi%2Fauthz%2Fsign-in/)
    app().clock.advance(1)
    const json = await forwardAuth(app(), { url: `${origin}/x`, cookie })
    assert.equal(json.json().code, 'not_allowed')
    const { refusals } = (await admin.get(`/oauth/clients/${id}/refusals`)).json()
    const [latest] = refusals as { error: string; details: { sent: string }; endpoint: string }[]
    assert.deepEqual([latest?.error, latest?.endpoint], ['not_allowed', '/api/authz/forward-auth'])
    assert.equal(latest?.details.sent, `GET /x (${person.user.preferredUsername})`)
  })

  test('whatever ends the session ends the cookie at the next request, and two sites share one session', async () => {
    const [first, second] = [await createSite(admin), await createSite(admin)]
    const enter = async (person: SignedInPerson) => [
      await signInAt(app(), person, first.origin),
      await signInAt(app(), person, second.origin),
    ]
    const statuses = async (cookies: string[]) =>
      Promise.all(
        [first, second].map(
          async ({ origin }, at) =>
            (await forwardAuth(app(), { url: `${origin}/`, cookie: cookies[at] ?? '' })).statusCode,
        ),
      )
    const ways: Record<string, (person: SignedInPerson) => Promise<unknown>> = {
      'signing out': (person) => person.post('/api/auth/logout'),
      disabling: (person) => admin.post(`/api/admin/users/${person.user.id}/lifecycle`, { action: 'disable' }),
      deleting: (person) => admin.delete(`/api/admin/users/${person.user.id}`),
      'an administrator': (person) => admin.post(`/api/admin/users/${person.user.id}/sign-out`),
    }
    for (const [way, end] of Object.entries(ways)) {
      const person = await signedInPerson(app())
      const cookies = await enter(person)
      assert.deepEqual(await statuses(cookies), [200, 200], way)
      // The cookie of one site is worth nothing at another.
      assert.deepEqual(await statuses(cookies.toReversed()), [401, 401], way)
      await end(person)
      assert.deepEqual(await statuses(cookies), [401, 401], way)
    }
    const person = await signedInPerson(app())
    const cookies = await enter(person)
    const logout = await forwardAuth(app(), {
      url: `${first.origin}/.latchkey/logout`,
      cookie: cookies[0] ?? '',
      headers: NAVIGATION,
    })
    assert.equal(locationOf(logout), `http://localhost:3000/logout?site=${first.host}`)
    assert.match(String(logout.headers['set-cookie']), /^__Host-latchkey-proxy=; .*Max-Age=0$/)
    assert.deepEqual(await statuses(cookies), [401, 200])
    assert.equal((await person.get(`/api/authz/sites/${first.host}`)).json().site.host, first.host)
    assert.equal((await person.get('/api/authz/sites/evil.example')).statusCode, 404)

    // A site that is deleted and made again, and a host that is taken out and put back, are others than before.
    await admin.delete(`/oauth/clients/${second.id}`)
    assert.equal((await forwardAuth(app(), { url: `${second.origin}/`, cookie: cookies[1] ?? '' })).statusCode, 403)
    const again = await createSite(admin, { hosts: [second.host] })
    assert.deepEqual((await statuses(cookies))[1], 401)
    const cookie = await signInAt(app(), person, again.origin)
    const code = await admin.patch(`/oauth/clients/${again.id}`, { hosts: [newHostName()] })
    assert.equal(code.statusCode, 200)
    await admin.patch(`/oauth/clients/${again.id}`, { hosts: [again.host] })
    assert.equal((await forwardAuth(app(), { url: `${again.origin}/`, cookie })).statusCode, 401)
  })

  test('strangers do not learn which hosts are sites', async () => {
    const [site, off] = [await createSite(admin), await createSite(admin)]
    assert.equal((await admin.patch(`/oauth/clients/${off.id}`, { disabled: true })).statusCode, 200)
    const state = `${'a'.repeat(22)}.${'b'.repeat(43)}`
    const signInAddress = (host: string) => `/api/authz/sign-in?host=${encodeURIComponent(host)}&state=${state}&to=%2F`
    const statuses = async (host: string) => [
      (await anonymous(app()).get(`/api/authz/sites/${host}`)).statusCode,
      (await anonymous(app()).get(signInAddress(host))).statusCode,
    ]
    for (const host of [site.host, off.host, 'evil.example', 'evil.example:8443']) {
      assert.deepEqual(await statuses(host), [401, 302], host)
      const answer = await anonymous(app()).get(signInAddress(host))
      const back = encodeURIComponent(signInAddress(host).replace(':', '%3A'))
      assert.equal(locationOf(answer), `http://localhost:3000/login?return_to=${back}`, host)
    }
    for (const host of ['', 'a b', '127.0.0.1', 'x@evil.example', 'Evil.example'])
      assert.equal((await anonymous(app()).get(signInAddress(host))).statusCode, 403, host)
    // With a session the host has to be a site.
    for (const [host, code] of [
      ['evil.example', 'unknown_host'],
      [off.host, 'application_off'],
    ] as const) {
      const answer = await admin.get(signInAddress(host))
      assert.deepEqual([answer.statusCode, answer.json<{ code: string }>().code], [403, code])
    }
  })

  test('a request counts as a use of the session, which ends when it is not used', async () => {
    const { origin } = await createSite(admin, { rules: [{ path: '/closed', policy: 'deny' }] })
    const { user } = await signedInPerson(app())
    const person = await signIn(app(), user)
    const { services, clock } = app()
    await services.db.transaction((trx) =>
      trx.updateTable('sessions').set({ remembered: 0 }).where('id', '=', person.sessionId).execute(),
    )
    const cookie = await signInAt(app(), person, origin)
    const visit = async (path = '/') => (await forwardAuth(app(), { url: origin + path, cookie })).statusCode
    clock.advance(11 * 3_600_000)
    // Also one that is refused.
    assert.equal(await visit('/closed'), 403)
    clock.advance(11 * 3_600_000)
    assert.equal(await visit(), 200)
    clock.advance(12 * 3_600_000)
    assert.equal(await visit(), 401)
    admin = await signIn(app(), admin.user)
  })

  test('an account that has to confirm its address first gets in nowhere', async () => {
    const { origin } = await createSite(admin)
    const registered = await anonymous(app()).post('/api/auth/register', {
      email: 'claimed@example.com',
      password: 'four unusual words here',
    })
    const person = Object.assign(await signIn(app(), registered.json().user), {})
    const cookie = await signInAt(app(), person, origin)
    const answer = await forwardAuth(app(), { url: `${origin}/`, cookie })
    assert.deepEqual([answer.statusCode, answer.headers['remote-email']], [200, ''])
    await admin.patch('/api/admin/settings', { allowedEmailDomains: ['example.com'] })
    const refused = await forwardAuth(app(), { url: `${origin}/`, cookie })
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'email_unconfirmed'])
    const begun = await forwardAuth(app(), { url: `${origin}/.latchkey/login` })
    assert.equal((await person.get(locationOf(begun).replace('http://localhost:3000', ''))).statusCode, 403)
    await admin.patch('/api/admin/settings', { allowedEmailDomains: [] })
    assert.equal((await forwardAuth(app(), { url: `${origin}/`, cookie })).statusCode, 200)
  })

  test('headers are renamed or left out as the site says, and all others are there', async () => {
    const { origin } = await createSite(admin, {
      rules: [{ path: '/*', policy: 'bypass' }],
      headers: { user: 'X-Auth-User', email: null },
    })
    const { headers } = await forwardAuth(app(), { url: `${origin}/` })
    assert.deepEqual(
      [headers['x-auth-user'], headers['remote-name'], headers['remote-groups'], headers['remote-jwt']],
      ['', '', '', ''],
    )
    assert.deepEqual([headers['remote-user'], headers['remote-email']], [undefined, undefined])
  })

  test('a callback that fails uses the code up, so that it is worth nothing to whoever brings it again', async () => {
    const [site, other] = [await createSite(admin), await createSite(admin)]
    const begin = async () => {
      const begun = await forwardAuth(app(), { url: `${site.origin}/.latchkey/login?to=/`, headers: NAVIGATION })
      return {
        url: locationOf(await admin.get(locationOf(begun).replace('http://localhost:3000', ''))),
        state: cookiesOf(begun).join('; '),
      }
    }
    const arrive = async (url: string, state: string) =>
      (await forwardAuth(app(), { url, cookie: state, headers: NAVIGATION })).statusCode
    const failures: Record<string, (url: string, state: string) => Promise<number>> = {
      'in a browser without the state': (url) => arrive(url, ''),
      'in a browser with another state': async (url) => arrive(url, (await begin()).state),
      'at another host': (url, state) => arrive(url.replace(site.host, other.host), state),
      'with a state that is not its own': async (url, state) => {
        const another = await begin()
        const mixed = new URL(url)
        mixed.searchParams.set('state', new URL(another.url).searchParams.get('state') ?? '')
        return arrive(mixed.href, `${state}; ${another.state}`)
      },
      'with another method': async (url, cookie) =>
        (await forwardAuth(app(), { url, cookie, method: 'POST', headers: NAVIGATION })).statusCode,
      'without a state': (url, state) => arrive(url.replace(/&state=.*$/, ''), state),
    }
    for (const [attack, fail] of Object.entries(failures)) {
      const { url, state } = await begin()
      assert.equal(await fail(url, state), 403, attack)
      assert.equal(await arrive(url, state), 403, `afterwards in the right browser, ${attack}`)
    }
    const { url, state } = await begin()
    assert.equal(await arrive(url, state), 302)
  })

  test('a form that is sent without a session is answered with a page that leads to the sign-in and back, a program with a status', async () => {
    const { origin, host } = await createSite(admin, { basic: true })
    const send = (headers: Record<string, string>, method = 'POST') =>
      forwardAuth(app(), { url: `${origin}/save?a=1`, method, headers })
    const loginLink = (answer: Awaited<ReturnType<typeof send>>) => /href="([^"]*)"/.exec(answer.body)?.[1]
    const page = await send({ ...NAVIGATION, referer: `${origin}/edit?b=2` })
    assert.deepEqual(
      [page.statusCode, page.headers['x-redirect-to'], page.headers['location']],
      [401, undefined, undefined],
    )
    assert.match(String(page.headers['content-type']), /^text\/html/)
    assert.match(page.body, /What you sent did not arrive/)
    assert.equal(loginLink(page), `${origin}/.latchkey/login?to=%2Fedit%3Fb%3D2`)
    const german = await send({ ...NAVIGATION, 'accept-language': 'de' }, 'PUT')
    assert.match(german.body, /lang="de"[^]*nicht angekommen/)
    for (const referer of ['https://evil.example/x', 'nonsense', `https://${host}.evil.example/`, `http://${host}/x`])
      assert.equal(
        loginLink(await send({ ...NAVIGATION, referer })),
        `${origin}/.latchkey/login?to=%2Fsave%3Fa%3D1`,
        referer,
      )
    const old = await send({ accept: 'text/html' })
    assert.match(String(old.headers['www-authenticate']), /^Basic/)
    for (const headers of [
      { 'sec-fetch-site': 'same-origin', origin },
      // A page that sends no referrer sends no origin either.
      { 'sec-fetch-site': 'same-origin', origin: 'null' },
      { 'sec-fetch-site': 'none' },
      { origin },
    ])
      assert.match((await send({ ...NAVIGATION, ...headers })).body, /What you sent did not arrive/)
    for (const headers of [
      { ...NAVIGATION, 'x-requested-with': 'XMLHttpRequest' },
      { accept: 'application/json' },
      { 'sec-fetch-mode': 'cors', accept: 'text/html' },
      // Nobody is led to send the form of another site again.
      { ...NAVIGATION, 'sec-fetch-site': 'cross-site' },
      { ...NAVIGATION, 'sec-fetch-site': 'same-site' },
      { ...NAVIGATION, 'sec-fetch-site': 'cross-site', origin },
      { ...NAVIGATION, origin: 'https://evil.example' },
      { ...NAVIGATION, origin: `http://${host}` },
      { ...NAVIGATION, origin: 'null' },
    ])
      assert.equal((await send(headers)).json().code, 'unauthenticated')
    const asked = await authRequest(app(), { url: `${origin}/save`, method: 'POST', headers: NAVIGATION })
    assert.deepEqual(
      [asked.statusCode, asked.headers['x-redirect-to'], asked.json().code],
      [401, undefined, 'unauthenticated'],
    )
  })

  test('nginx hands the paths of the site on, and only a trusted proxy gets an answer', async () => {
    const { origin } = await createSite(admin)
    const begun = await handedOn(app(), { url: `${origin}/.latchkey/login?to=/x` })
    assert.equal(begun.statusCode, 302)
    const person = await signedInPerson(app())
    const back = await person.get(locationOf(begun).replace('http://localhost:3000', ''))
    const arrived = await handedOn(app(), { url: locationOf(back), cookie: cookiesOf(begun).join('; ') })
    assert.equal(locationOf(arrived), `${origin}/x`)
    for (const visit of [
      { url: `${origin}/.latchkey/login`, from: '192.0.2.1' },
      { url: 'https://unknown.example/.latchkey/login' },
      { url: `${origin}/.latchkey/else` },
    ]) {
      const answer = await handedOn(app(), visit)
      assert.equal(answer.statusCode, 404)
      for (const name of [...NOT_OURS, 'set-cookie']) assert.equal(answer.headers[name], undefined, name)
    }
    assert.equal(
      (await handedOn(app(), { url: `${origin.replace('https', 'http')}/.latchkey/login` })).json().code,
      'https_required',
    )
    // The application never sees them, whatever the proxy was told to do.
    assert.equal((await authRequest(app(), { url: `${origin}/.latchkey/login` })).statusCode, 403)
  })
})
