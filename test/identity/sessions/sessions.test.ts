import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp, startApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { anonymous, cookieOf, signedInPerson, signIn } from '../../support/people.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const PASSWORD = 'correct horse battery staple'

onMainEngine('sessions', (engine) => {
  const shared = sharedApp({ engine })

  test('GET /api/auth/me returns the user, the session, the roles and the permissions', async () => {
    const person = await signedInPerson(shared(), { permissions: ['users:read', 'roles:read'] })
    const response = await person.get('/api/auth/me')
    assert.equal(response.statusCode, 200)
    const { user, session, roles, permissions } = response.json()
    assert.equal(user.id, person.user.id)
    assert.equal(session.id, person.sessionId)
    assert.equal(session.current, true)
    assert.deepEqual(permissions, ['roles:read', 'users:read'])
    assert.ok(roles.some(({ name }: { name: string }) => name === 'user'))
  })

  test('a missing, a stale and a malformed cookie get the same answer', async () => {
    const person = await signedInPerson(shared())
    await person.post('/api/auth/logout')
    const [missing, stale, garbage] = [anonymous(shared()), person, anonymous(shared(), '"; drop table sessions')]
    const answers = await Promise.all([missing, stale, garbage].map((each) => each.get('/api/auth/me')))
    for (const { statusCode, body } of answers) {
      assert.equal(statusCode, 401)
      assert.equal(body, answers[0]?.body)
    }
  })

  test('POST /api/auth/logout ends the session and clears the cookie, and GET does nothing', async () => {
    const person = await signedInPerson(shared())
    assert.equal((await person.get('/api/auth/logout')).statusCode, 405)
    assert.equal((await person.get('/api/auth/me')).statusCode, 200)
    const response = await person.post('/api/auth/logout')
    assert.equal(response.statusCode, 200)
    assert.deepEqual(response.json(), { success: true })
    assert.match(String(response.headers['set-cookie']), /^session=; .*Max-Age=0$/)
    assert.equal((await person.get('/api/auth/me')).statusCode, 401)
  })

  test('GET /api/auth/sessions lists the live sessions of this account, without secrets', async () => {
    const person = await signedInPerson(shared())
    const other = await signIn(shared(), person.user)
    await signedInPerson(shared())
    const response = await person.get('/api/auth/sessions')
    const { sessions } = response.json()
    assert.deepEqual(
      new Set(sessions.map(({ id }: { id: string }) => id)),
      new Set([person.sessionId, other.sessionId]),
    )
    for (const session of sessions) {
      const fields = ['id', 'ipAddress', 'geolocation', 'userAgent', 'createdAt', 'lastUsedAt', 'expiresAt', 'current']
      assert.deepEqual(Object.keys(session).toSorted(), fields.toSorted())
      assert.equal(session.current, session.id === person.sessionId)
    }
    assert.doesNotMatch(response.body, /hash/i)
  })

  test('POST /api/auth/sessions/:id/revoke ends that session', async () => {
    const person = await signedInPerson(shared())
    const other = await signIn(shared(), person.user)
    const response = await person.post(`/api/auth/sessions/${other.sessionId}/revoke`)
    assert.deepEqual(response.json(), { success: true })
    assert.equal((await other.get('/api/auth/me')).statusCode, 401)
    assert.equal((await person.get('/api/auth/me')).statusCode, 200)
  })

  test("revoking another user's session answers 404, and the session stays", async () => {
    const [one, two] = [await signedInPerson(shared()), await signedInPerson(shared())]
    assert.equal((await two.post(`/api/auth/sessions/${one.sessionId}/revoke`)).statusCode, 404)
    assert.equal((await one.get('/api/auth/me')).statusCode, 200)
  })

  test('POST /api/auth/sessions/revoke-all ends all sessions but this one', async () => {
    const person = await signedInPerson(shared())
    const others = [await signIn(shared(), person.user), await signIn(shared(), person.user)]
    assert.deepEqual((await person.post('/api/auth/sessions/revoke-all')).json(), { success: true })
    for (const other of others) assert.equal((await other.get('/api/auth/me')).statusCode, 401)
    assert.equal((await person.get('/api/auth/me')).statusCode, 200)
  })

  test('signing out, ending a session and ending all others are each recorded in the audit trail', async () => {
    const app = shared()
    const person = await signedInPerson(app)
    const other = await signIn(app, person.user)
    await person.post(`/api/auth/sessions/${other.sessionId}/revoke`)
    await person.post('/api/auth/sessions/revoke-all')
    await person.post('/api/auth/logout')
    await person.post('/api/auth/logout')
    const admin = await signedInPerson(app, { admin: true })
    const { events } = (await admin.get(`/api/admin/audit?actor=${person.user.id}`)).json<{
      events: { action: string; targetId: string }[]
    }>()
    assert.deepEqual(
      events.map(({ action, targetId }) => [action, targetId]),
      [
        ['session.ended', person.sessionId],
        ['session.others_revoked', person.user.id],
        ['session.revoked', other.sessionId],
      ],
    )
  })

  test('without rememberMe a session ends after 12 hours idle, or 24 hours in all', async (t) => {
    const app = await startApp(t, { engine })
    const response = await anonymous(app).post('/api/auth/register', { email: 'brief@example.com', password: PASSWORD })
    const person = anonymous(app, cookieOf(response))
    const isSignedIn = async () => (await person.get('/api/auth/me')).statusCode === 200
    app.clock.advance(12 * HOUR - 1000)
    assert.ok(await isSignedIn())
    app.clock.advance(12 * HOUR - 1000)
    assert.ok(await isSignedIn(), 'used within 12 hours, so it is still valid')
    app.clock.advance(3000)
    assert.ok(!(await isSignedIn()), '24 hours in all have passed')

    const again = await anonymous(app).post('/api/auth/login', { email: 'brief@example.com', password: PASSWORD })
    app.clock.advance(12 * HOUR + 1000)
    assert.equal((await anonymous(app, cookieOf(again)).get('/api/auth/me')).statusCode, 401)
  })

  test('with rememberMe a session lasts 30 days', async (t) => {
    const app = await startApp(t, { engine })
    await anonymous(app).post('/api/auth/register', { email: 'long@example.com', password: PASSWORD })
    const response = await anonymous(app).post('/api/auth/login', {
      email: 'long@example.com',
      password: PASSWORD,
      rememberMe: true,
    })
    const person = anonymous(app, cookieOf(response))
    app.clock.advance(30 * DAY - 1000)
    assert.equal((await person.get('/api/auth/me')).statusCode, 200)
    app.clock.advance(2000)
    assert.equal((await person.get('/api/auth/me')).statusCode, 401)
  })

  test('lastUsedAt is written at most once a minute', async (t) => {
    const app = await startApp(t, { engine })
    const person = await signedInPerson(app)
    const lastUsed = async () => (await person.get('/api/auth/sessions')).json().sessions[0].lastUsedAt
    const start = await lastUsed()
    app.clock.advance(MINUTE - 1)
    assert.equal(await lastUsed(), start)
    app.clock.advance(1)
    assert.equal(await lastUsed(), start + MINUTE)
  })

  test('a session of a disabled account is not valid, even if its row exists', async () => {
    const person = await signedInPerson(shared())
    await shared().services.db.transaction((trx) =>
      trx.updateTable('users').set({ disabled_at: 1 }).where('id', '=', person.user.id).execute(),
    )
    assert.equal((await person.get('/api/auth/me')).statusCode, 401)
  })

  test('a sign-in from a new browser notifies the owner, except for the first one', async (t) => {
    const app = await startApp(t, { engine })
    const withUserAgent = (userAgent: string) => ({ 'user-agent': userAgent })
    await anonymous(app).post(
      '/api/auth/register',
      { email: 'seen@example.com', password: PASSWORD },
      withUserAgent('Firefox/140.0'),
    )
    const login = (userAgent: string) =>
      anonymous(app).post(
        '/api/auth/login',
        { email: 'seen@example.com', password: PASSWORD },
        withUserAgent(userAgent),
      )
    const countNotifications = async () =>
      (
        await app.services.db.read
          .selectFrom('notifications')
          .selectAll()
          .where('type', '=', 'security.new_login')
          .execute()
      ).length
    await login('Firefox/141.0')
    assert.equal(await countNotifications(), 0, 'a new version is the same browser')
    await login('Chrome/150')
    assert.equal(await countNotifications(), 1)
    await login('Chrome/150')
    assert.equal(await countNotifications(), 1)
  })
})
