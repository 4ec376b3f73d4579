import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { sharedApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'
import { anonymous, signedInPerson, type SignedInPerson } from '../support/people.ts'
import {
  authRequest,
  cookiesOf,
  createSite,
  forwardAuth,
  locationOf,
  NAVIGATION,
  newHostName,
  signInAt,
  TRUSTING,
} from './visits.ts'

const FIVE = ['remote-user', 'remote-email', 'remote-name', 'remote-groups', 'remote-jwt']
const NOT_OURS = ['strict-transport-security', 'access-control-allow-origin', 'clear-site-data']

onEachEngine('a sign-in at a site', (engine) => {
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
})
