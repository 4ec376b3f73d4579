import assert from 'node:assert/strict'
import { before, test } from 'node:test'
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

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

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
