import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Response } from 'light-my-request'
import { pictureName } from '../../../src/platform/pictures/picture-store.ts'
import { sharedApp, startApp, type TestApp } from '../../support/app.ts'
import { authorizeUrl, locationOf, newPkce, registerApplication } from '../../support/application.ts'
import { anonymous, type SignedInPerson, signedInPerson } from '../../support/people.ts'

const HTTPS = 'https://id.example'
const PASSWORD = 'correct horse battery staple'

const cookiesOf = ({ headers }: Response): string[] =>
  [headers['set-cookie'] ?? []].flat().filter((cookie) => /^(__Host-)?session=/.test(cookie))

/** How each kind of route for signed-in users answers to this Cookie header. */
async function answersTo(app: TestApp, cookie: string, origin: string): Promise<Record<string, string>> {
  const headers = { cookie, origin }
  const visitor = anonymous(app)
  const application = await registerApplication(app)
  const me = await visitor.get('/api/auth/me', undefined, headers)
  const avatar = await visitor.get('/api/account/profile/avatar', undefined, headers)
  const authorized = await visitor.get(authorizeUrl(application, newPkce()), undefined, headers)
  const revoked = await visitor.post('/api/auth/sessions/revoke-all', undefined, headers)
  // An invalid query is refused after the guard, so that no stream is opened.
  const stream = await visitor.get('/api/notifications/stream?limit=x', undefined, headers)
  return {
    me: me.statusCode === 200 ? me.json<{ user: { email: string } }>().user.email : String(me.statusCode),
    avatar: avatar.statusCode === 200 ? avatar.body : String(avatar.statusCode),
    authorize: locationOf(authorized).pathname,
    revokeAll: String(revoked.statusCode),
    stream: String(stream.statusCode),
  }
}

async function personWithAvatar(app: TestApp, email: string, password?: string): Promise<SignedInPerson> {
  const { blobs, db } = app.services
  const person = await signedInPerson(app, { email, ...(password === undefined ? {} : { password }) })
  await db.transaction((trx) =>
    trx.updateTable('users').set({ avatar_version: 'v1' }).where('id', '=', person.user.id).execute(),
  )
  await blobs.put(pictureName(person.user.id, 'v1'), Buffer.from(`The picture of ${email}.`), 'image/webp')
  return person
}

const signedOut = { me: '401', avatar: '401', authorize: '/login', revokeAll: '401', stream: '401' }
const signedInAs = (email: string) => ({
  me: email,
  avatar: `The picture of ${email}.`,
  authorize: '/consent',
  revokeAll: '200',
  stream: '400',
})

describe('session cookies when the dashboard is on https', () => {
  const shared = sharedApp({ config: { dashboardOrigin: HTTPS } })

  test('registering and signing in set __Host-session beside session, and logging out clears both', async () => {
    const visitor = anonymous(shared())
    const body = { email: 'both@example.com', password: PASSWORD }
    const registered = await visitor.post('/api/auth/register', body, { origin: HTTPS })
    const remembered = await visitor.post('/api/auth/login', { ...body, rememberMe: true }, { origin: HTTPS })
    for (const [answer, lifetime] of [
      [registered, ''],
      [remembered, '; Max-Age=2592000'],
    ] as const) {
      const [plain = '', host = '', ...more] = cookiesOf(answer)
      assert.match(plain, new RegExp(`^session=[\\w-]{43}; Path=/; HttpOnly; Secure; SameSite=Lax${lifetime}$`))
      assert.equal(host, `__Host-${plain}`)
      assert.deepEqual(more, [])
    }
    assert.deepEqual(cookiesOf(await visitor.post('/api/auth/logout', undefined, { origin: HTTPS })), [
      'session=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0',
      '__Host-session=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0',
    ])
  })

  test('__Host-session takes precedence over any cookie named session, on every kind of route', async () => {
    const owner = await personWithAvatar(shared(), 'owner@example.com')
    const stranger = await personWithAvatar(shared(), 'stranger@example.com')
    const expected = signedInAs('owner@example.com')
    for (const cookie of [
      `__Host-session=${owner.cookie}`,
      `session=${stranger.cookie}; __Host-session=${owner.cookie}`,
      `session=${stranger.cookie}; session=${owner.cookie}; __Host-session=${owner.cookie}; other=x`,
      `session=rubbish; __Host-session=${owner.cookie}`,
    ])
      assert.deepEqual(await answersTo(shared(), cookie, HTTPS), expected, cookie)
    const invalid = `__Host-session=${'A'.repeat(43)}; session=${stranger.cookie}`
    assert.deepEqual(await answersTo(shared(), invalid, HTTPS), signedOut)
  })

  test('two different cookies named session, without __Host-session, count as signed out on every kind of route', async () => {
    const owner = await personWithAvatar(shared(), 'planted@example.com')
    const stranger = await signedInPerson(shared())
    for (const cookie of [
      `session=${stranger.cookie}; session=${owner.cookie}`,
      `session=${owner.cookie}; session=${stranger.cookie}`,
      `session=rubbish; session=${owner.cookie}`,
      `session=${owner.cookie};session=`,
    ])
      assert.deepEqual(await answersTo(shared(), cookie, HTTPS), signedOut, cookie)
    const twice = `session=${owner.cookie}; session=${owner.cookie}`
    assert.deepEqual(await answersTo(shared(), twice, HTTPS), signedInAs('planted@example.com'), 'the same one twice')
    const once = `session=${owner.cookie}`
    assert.deepEqual(await answersTo(shared(), once, HTTPS), signedInAs('planted@example.com'), 'one alone')
  })

  test('a login works in spite of two different cookies named session, and so do the requests after it', async () => {
    await personWithAvatar(shared(), 'again@example.com', PASSWORD)
    const planted = `session=${'A'.repeat(43)}; session=${'B'.repeat(43)}`
    const body = { email: 'again@example.com', password: PASSWORD }
    const answer = await anonymous(shared()).post('/api/auth/login', body, { origin: HTTPS, cookie: planted })
    assert.equal(answer.statusCode, 200)
    const host = cookiesOf(answer)[1]?.split(';')[0] ?? ''
    const seen = await answersTo(shared(), `${planted}; ${host}`, HTTPS)
    assert.deepEqual(seen, signedInAs('again@example.com'))
  })

  test('logging out ends the session of __Host-session, and not that of a planted cookie', async () => {
    const owner = await signedInPerson(shared(), { email: 'leaves@example.com' })
    const stranger = await signedInPerson(shared())
    const headers = { origin: HTTPS, cookie: `session=${stranger.cookie}; __Host-session=${owner.cookie}` }
    assert.equal((await anonymous(shared()).post('/api/auth/logout', undefined, headers)).statusCode, 200)
    assert.equal((await owner.get('/api/auth/me')).statusCode, 401)
    assert.equal((await stranger.get('/api/auth/me')).statusCode, 200)
  })

  test('a form of another site with a planted cookie is redirected to a GET request like any other', async () => {
    const application = await registerApplication(shared())
    const stranger = await signedInPerson(shared())
    const [path = '', query = ''] = authorizeUrl(application, newPkce()).split('?')
    const answer = await anonymous(shared()).post(path, query, {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'cross-site',
      cookie: `session=${stranger.cookie}`,
    })
    assert.equal(answer.statusCode, 303)
    assert.equal(answer.headers.location, `${path}?${query}`)
  })
})

test('when the dashboard is on http, __Host-session is neither set, read nor cleared', async (t) => {
  const app = await startApp(t)
  const owner = await personWithAvatar(app, 'plain@example.com', PASSWORD)
  const stranger = await signedInPerson(app)
  const cookie = `__Host-session=${stranger.cookie}; session=${owner.cookie}`
  assert.deepEqual(await answersTo(app, cookie, 'http://localhost:3000'), signedInAs('plain@example.com'))
  const answer = await anonymous(app).post('/api/auth/login', { email: 'plain@example.com', password: PASSWORD })
  assert.equal(cookiesOf(answer).length, 1)
  assert.deepEqual(cookiesOf(await anonymous(app).post('/api/auth/logout')), [
    'session=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0',
  ])
})
