import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { User } from '../../../src/identity/users/user.ts'
import { issue, saveKey } from '../../ssh/public-keys.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import {
  exchangeCode,
  getCode,
  newPkce,
  postForm,
  registerApplication,
  type Tokens,
} from '../../support/application.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { anonymous, type SignedInPerson, signedInPerson, signIn } from '../../support/people.ts'
import { lifecycleOf, notificationsAbout } from './actions.ts'
import { PASSWORD, SSH, type SwitchResponse } from './switch-response.ts'

onEachEngine('disabling and enabling an account immediately', (engine) => {
  const shared = sharedApp({ engine })
  let app: TestApp
  let admin: SignedInPerson
  let second: SignedInPerson
  before(async () => {
    app = shared()
    admin = await signedInPerson(app, { admin: true })
    second = await signedInPerson(app, { admin: true })
  })

  const disable = (userId: string) => admin.post(lifecycleOf(userId), { action: 'disable' })
  const enable = (userId: string) => admin.post(lifecycleOf(userId), { action: 'enable' })

  test('fifty concurrent disables disable once and notify once', async () => {
    const person = await signedInPerson(app)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 === 0 ? admin : second).post(lifecycleOf(person.user.id), { action: 'disable' }),
      ),
    )
    assert.ok(answers.every(({ statusCode }) => statusCode === 200))
    const sessions = answers.map((answer) => answer.json<SwitchResponse>().ended.sessions)
    assert.equal(
      sessions.reduce((sum, each) => sum + each),
      1,
    )
    for (const each of [admin, second])
      assert.deepEqual(await notificationsAbout(each, person.user.id), ['user.disabled'])
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('a disable ends sessions and certificates, and refuses the password', async () => {
    const email = 'switched@example.com'
    const person = await signedInPerson(app, { email, password: PASSWORD, permissions: [...SSH] })
    const phone = await signIn(app, person.user)
    const certificate = await issue(person, await saveKey(person))
    const response = await disable(person.user.id)
    assert.equal(response.statusCode, 200, response.body)
    const { success, scheduled, user, ended } = response.json<SwitchResponse>()
    assert.deepEqual(
      { success, scheduled, ended },
      {
        success: true,
        scheduled: false,
        ended: { sessions: 2, tokens: 0, certificates: 1 },
      },
    )
    assert.equal(user.disabled_at, app.clock.now())
    for (const device of [person, phone]) assert.equal((await device.get('/api/auth/me')).statusCode, 401)
    assert.equal((await person.post('/api/ssh/certs/issue', { savedKeyId: 'any' })).statusCode, 401)
    const login = await anonymous(app).post('/api/auth/login', { email, password: PASSWORD })
    assert.equal(login.statusCode, 403)
    assert.deepEqual(login.json(), { error: 'Your account has been disabled.' })
    const { revoked } = (await anonymous(app).get('/ssh/krl')).json<{ revoked: { serial: string }[] }>()
    assert.ok(revoked.some(({ serial }) => serial === certificate.serial))
  })

  test('a disable revokes codes, access tokens and refresh tokens, and an enable does not restore them', async () => {
    const application = await registerApplication(app)
    const person = await signedInPerson(app)
    const pkce = newPkce()
    const scope = { scope: 'openid offline_access' }
    const used = await exchangeCode(app, application, await getCode(person, application, pkce, scope), pkce)
    const tokens = used.json<Tokens>()
    const unused = await getCode(person, application, pkce, scope)
    const userinfo = () =>
      app.app.inject({ url: '/oauth/userinfo', headers: { authorization: `Bearer ${tokens.access_token}` } })
    const refresh = () =>
      postForm(app, '/oauth/token', {
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token,
        client_id: application.clientId,
        client_secret: application.secret,
      })
    assert.equal((await userinfo()).statusCode, 200)
    assert.deepEqual((await disable(person.user.id)).json<SwitchResponse>().ended, {
      sessions: 1,
      tokens: 1,
      certificates: 0,
    })
    for (const state of ['disabled', 'enabled again']) {
      assert.equal((await userinfo()).statusCode, 401, state)
      assert.equal((await refresh()).json<{ error: string }>().error, 'invalid_grant', state)
      const late = await exchangeCode(app, application, unused, pkce)
      assert.equal(late.json<{ error: string }>().error, 'invalid_grant', state)
      await enable(person.user.id)
    }
  })

  test('every administrator is notified once, with the actor', async () => {
    const person = await signedInPerson(app)
    await disable(person.user.id)
    for (const each of [admin, second])
      assert.deepEqual(await notificationsAbout(each, person.user.id), ['user.disabled'])
    const { notifications } = (await second.get('/api/notifications?limit=1')).json<{
      notifications: { data: unknown }[]
    }>()
    assert.deepEqual(notifications[0]?.data, {
      userId: person.user.id,
      email: person.user.email,
      displayName: null,
      actorId: admin.user.id,
    })
  })

  test('a second disable notifies nobody, ends nothing more and keeps the time of the first', async () => {
    const person = await signedInPerson(app)
    const first = (await disable(person.user.id)).json<SwitchResponse>()
    app.clock.advance(1000)
    const again = await disable(person.user.id)
    assert.equal(again.statusCode, 200)
    const { user, ended } = again.json<SwitchResponse>()
    assert.equal(user.disabled_at, first.user.disabled_at)
    assert.deepEqual(ended, { sessions: 0, tokens: 0, certificates: 0 })
    assert.deepEqual(await notificationsAbout(admin, person.user.id), ['user.disabled'])
  })

  test('an enable restores the account, but not its sessions and certificates', async () => {
    const email = 'returns@example.com'
    const person = await signedInPerson(app, { email, password: PASSWORD, permissions: [...SSH] })
    const certificate = await issue(person, await saveKey(person))
    await disable(person.user.id)
    const response = await enable(person.user.id)
    const { success, scheduled, user } = response.json<SwitchResponse>()
    assert.deepEqual(
      { success, scheduled, disabled_at: user.disabled_at },
      {
        success: true,
        scheduled: false,
        disabled_at: null,
      },
    )
    assert.equal((await person.get('/api/auth/me')).statusCode, 401)
    assert.equal((await anonymous(app).post('/api/auth/login', { email, password: PASSWORD })).statusCode, 200)
    const { revoked } = (await anonymous(app).get('/ssh/krl')).json<{ revoked: { serial: string }[] }>()
    assert.ok(revoked.some(({ serial }) => serial === certificate.serial))
    assert.deepEqual(await notificationsAbout(admin, person.user.id), ['user.disabled', 'user.enabled'])
    await enable(person.user.id)
    assert.deepEqual(await notificationsAbout(admin, person.user.id), ['user.disabled', 'user.enabled'])
  })

  test('a session from a sign-in that was concurrent with the disable stays invalid, also after an enable', async () => {
    const person = await signedInPerson(app)
    await disable(person.user.id)
    const late = await signIn(app, person.user)
    assert.equal((await late.get('/api/auth/me')).statusCode, 401)
    await enable(person.user.id)
    assert.equal((await late.get('/api/auth/me')).statusCode, 401)
  })

  test('a disable deletes links for resets and invitations', async () => {
    const made = await admin.post('/api/admin/users', { email: 'invited@example.com' })
    const { user } = made.json<{ user: User }>()
    await disable(user.id)
    const { db } = app.services
    const left = await db.read.selectFrom('email_tokens').selectAll().where('user_id', '=', user.id).execute()
    assert.deepEqual(left, [])
  })

  test('deleting a user revokes every token', async () => {
    const application = await registerApplication(app)
    const person = await signedInPerson(app)
    const pkce = newPkce()
    const used = await exchangeCode(app, application, await getCode(person, application, pkce), pkce)
    const { access_token } = used.json<Tokens>()
    await admin.delete(`/api/admin/users/${person.user.id}`)
    const headers = { authorization: `Bearer ${access_token}` }
    assert.equal((await app.app.inject({ url: '/oauth/userinfo', headers })).statusCode, 401)
    const credentials = { client_id: application.clientId, client_secret: application.secret }
    const introspected = await postForm(app, '/oauth/introspect', { token: access_token, ...credentials })
    assert.deepEqual(introspected.json(), { active: false })
  })

  test('deleting a user revokes the certificates, which stay in the log', async () => {
    const person = await signedInPerson(app, { permissions: [...SSH] })
    const certificate = await issue(person, await saveKey(person))
    await admin.delete(`/api/admin/users/${person.user.id}`)
    const log = await admin.get('/api/ssh/certs')
    const entry = log
      .json<{ certificates: { id: string; revokedAt: number | null; userId: string }[] }>()
      .certificates.find(({ id }) => id === certificate.id)
    assert.equal(entry?.userId, person.user.id)
    assert.ok(entry?.revokedAt)
  })

  test('an invalid request answers 400, and an unknown user 404', async () => {
    const person = await signedInPerson(app)
    for (const body of [{}, { action: 'delete' }, { action: 'disable', extra: 1 }, { action: ['disable'] }]) {
      assert.equal((await admin.post(lifecycleOf(person.user.id), body)).statusCode, 400)
    }
    assert.equal((await admin.post(lifecycleOf('usr_nobody'), { action: 'disable' })).statusCode, 404)
  })
})
