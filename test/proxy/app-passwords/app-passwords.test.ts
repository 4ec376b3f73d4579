import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { markEmailConfirmed } from '../../../src/identity/users/user-store.ts'
import { sharedApp } from '../../support/app.ts'
import { onEachEngine, onMainEngine } from '../../support/engines.ts'
import { lastMailTo } from '../../support/mail.ts'
import { anonymous, signedInPerson, type SignedInPerson, signIn } from '../../support/people.ts'
import { authRequest, createSite, forwardAuth, signInAt, TRUSTING } from '../visits.ts'

const DAY = 24 * 3_600_000
const PASSWORD = 'four unusual words here'
const PATH = '/api/account/app-passwords'
const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

onMainEngine('app passwords', (engine) => {
  const app = sharedApp({ engine, config: TRUSTING })
  let admin: SignedInPerson
  let site: Awaited<ReturnType<typeof createSite>>
  before(async () => {
    admin = await signedInPerson(app(), { admin: true })
    site = await createSite(admin, {
      basic: true,
      rules: [
        { path: '/open/*', policy: 'bypass' },
        { path: '/closed', policy: 'deny' },
      ],
    })
  })
  const make = async (person: SignedInPerson, settings: Record<string, unknown> = {}) => {
    const answer = await person.post(PATH, { name: 'Phone', client_id: site.id, ...settings })
    assert.equal(answer.statusCode, 201, answer.body)
    return answer.json() as { appPassword: { id: string; expiresAt: number | null }; password: string }
  }
  const visit = (headers: Record<string, string>, path = '/', origin = site.origin) =>
    forwardAuth(app(), { url: origin + path, headers })
  const typesOf = async (person: SignedInPerson): Promise<string[]> =>
    (await person.get('/api/notifications')).json().notifications.map(({ type }: { type: string }) => type)

  test('one is made, shown once, used with the username or the address, and ended', async () => {
    const person = await signedInPerson(app())
    const { appPassword, password } = await make(person)
    assert.match(password, /^ap_[\w-]{43}$/)
    assert.deepEqual(Object.keys(appPassword).toSorted(), [
      'client_id',
      'createdAt',
      'expiresAt',
      'id',
      'lastUsedAt',
      'name',
    ])
    const listed = await person.get(PATH)
    assert.deepEqual(listed.json().appPasswords, [appPassword])
    assert.ok(listed.json().sites.some(({ client_id }: { client_id: string }) => client_id === site.id))
    assert.ok(!listed.body.includes(password))
    for (const user of [person.user.preferredUsername, person.user.email, person.user.email.toUpperCase()]) {
      for (const ask of [forwardAuth, authRequest]) {
        const answer = await ask(app(), { url: `${site.origin}/`, method: 'PROPFIND', headers: basic(user, password) })
        assert.equal(answer.statusCode, 200, user)
        assert.equal(answer.headers['remote-user'], person.user.preferredUsername)
        assert.equal(answer.headers['set-cookie'], undefined)
      }
    }
    assert.equal((await visit(basic(person.user.email, password), '/closed')).statusCode, 403)
    assert.equal(
      (await visit(basic(person.user.email, password), '/open/')).headers['remote-user'],
      person.user.preferredUsername,
    )
    assert.equal((await person.get(PATH)).json().appPasswords[0].lastUsedAt, app().clock.now())
    assert.equal((await person.delete(`${PATH}/${appPassword.id}`)).statusCode, 200)
    assert.equal((await person.delete(`${PATH}/${appPassword.id}`)).statusCode, 404)
    assert.equal((await visit(basic(person.user.email, password))).statusCode, 401)
    assert.deepEqual((await typesOf(person)).slice(0, 2), [
      'security.app_password_removed',
      'security.app_password_added',
    ])
  })

  test('a wrong one is 401 with a challenge also beyond the limit, and the right one always works', async () => {
    const person = await signedInPerson(app(), { password: PASSWORD })
    const other = await signedInPerson(app())
    const { password } = await make(person)
    const wrong = [
      basic(person.user.email, `ap_${'x'.repeat(43)}`),
      basic(other.user.email, password),
      basic(person.user.email, PASSWORD),
      basic('', password),
      { authorization: 'Basic' },
      { authorization: 'Basic !!!' },
    ]
    for (const headers of wrong) {
      for (const ask of [forwardAuth, authRequest]) {
        const answer = await ask(app(), { url: `${site.origin}/`, headers: { ...headers, accept: 'text/html' } })
        assert.equal(answer.statusCode, 401)
        assert.match(String(answer.headers['www-authenticate']), /^Basic realm=/)
        assert.equal(answer.headers['x-redirect-to'], undefined)
      }
    }
    for (let at = 0; at < 40; at++) assert.equal((await visit(wrong[0] ?? {})).statusCode, 401)
    assert.equal((await visit(basic(person.user.email, password))).statusCode, 200)
    const refused = await app()
      .services.db.read.selectFrom('audit_events')
      .select('action')
      .where('action', '=', 'app_password.refused')
      .where('target_id', '=', site.id)
      .execute()
    assert.equal(refused.length, 30)
    // Where everybody may go, credentials are the application's.
    assert.equal((await visit(wrong[0] ?? {}, '/open/')).statusCode, 200)
  })

  test('the challenge is there for programs and not for browsers, and only where app passwords are taken', async () => {
    const plain = await createSite(admin)
    const challengeOf = async (headers: Record<string, string>, origin = site.origin) =>
      (await visit(headers, '/', origin)).headers['www-authenticate'] !== undefined
    assert.equal(await challengeOf({}), true)
    assert.equal(await challengeOf({ 'sec-fetch-mode': 'cors' }), false)
    assert.equal(await challengeOf({}, plain.origin), false)
    const person = await signedInPerson(app())
    const { password } = await make(person)
    const at = await visit(basic(person.user.email, password), '/', plain.origin)
    assert.deepEqual([at.statusCode, at.headers['www-authenticate']], [401, undefined])
    // Any other Authorization belongs to the application.
    const cookie = await signInAt(app(), person, site.origin)
    const bearer = await forwardAuth(app(), { url: `${site.origin}/`, cookie, headers: { authorization: 'Bearer x' } })
    assert.equal(bearer.statusCode, 200)
    assert.equal(
      (
        await forwardAuth(app(), {
          url: `${plain.origin}/`,
          cookie: await signInAt(app(), person, plain.origin),
          headers: basic('a', 'b'),
        })
      ).statusCode,
      200,
    )
    await admin.patch(`/oauth/clients/${site.id}`, { basic: false })
    assert.equal((await visit(basic(person.user.email, password))).statusCode, 401)
    await admin.patch(`/oauth/clients/${site.id}`, { basic: true })
    assert.equal((await visit(basic(person.user.email, password))).statusCode, 200)
  })

  test('making one is refused without a recent sign-in, for other sites, and with bad input', async () => {
    const person = await signedInPerson(app())
    const plain = await createSite(admin)
    const closed = await createSite(admin, { basic: true, allowedRoles: [] })
    const refused: [Record<string, unknown>, string][] = [
      [{ client_id: plain.id }, 'client_id'],
      [{ client_id: closed.id }, 'client_id'],
      [{ client_id: 'nothing' }, 'client_id'],
      [{ name: '' }, 'name'],
      [{ expiresAt: app().clock.now() }, 'expiresAt'],
      [{ expiresAt: 'tomorrow' }, 'expiresAt'],
      [{ password: 'mine' }, 'password'],
    ]
    for (const [settings, field] of refused) {
      const answer = await person.post(PATH, { name: 'Phone', client_id: site.id, ...settings })
      assert.deepEqual([answer.statusCode, answer.json().issues?.[0].path], [400, field])
    }
    assert.equal((await anonymous(app()).post(PATH, {})).statusCode, 401)
    const { appPassword, password } = await make(person, { expiresAt: app().clock.now() + 1000 })
    assert.equal((await visit(basic(person.user.email, password))).statusCode, 200)
    app().clock.advance(1000)
    assert.equal((await visit(basic(person.user.email, password))).statusCode, 401)
    assert.ok(appPassword.expiresAt)
    app().clock.advance(10 * 60_000)
    const late = await person.post(PATH, { name: 'Late', client_id: site.id })
    assert.deepEqual([late.statusCode, late.json().code], [403, 'fresh_sign_in_needed'])
    const other = await signedInPerson(app())
    assert.equal((await other.delete(`${PATH}/${appPassword.id}`)).statusCode, 404)
  })

  test('disabling, deleting and a reset of the password delete them, and so does an administrator', async () => {
    const newPerson = async () => {
      const person = await signedInPerson(app(), { password: PASSWORD })
      const { appPassword, password } = await make(person)
      return {
        person,
        id: appPassword.id,
        isGood: async () => (await visit(basic(person.user.email, password))).statusCode === 200,
      }
    }
    const lifecycle = (userId: string, action: string) => admin.post(`/api/admin/users/${userId}/lifecycle`, { action })
    const disabled = await newPerson()
    await lifecycle(disabled.person.user.id, 'disable')
    await lifecycle(disabled.person.user.id, 'enable')
    assert.equal(await disabled.isGood(), false)
    assert.deepEqual((await (await signIn(app(), disabled.person.user)).get(PATH)).json().appPasswords, [])

    const deleted = await newPerson()
    await admin.delete(`/api/admin/users/${deleted.person.user.id}`)
    assert.equal(await deleted.isGood(), false)

    const reset = await newPerson()
    const { email } = reset.person.user
    await anonymous(app()).post('/api/auth/password-reset', { email })
    await app().tick()
    const { token } = await lastMailTo(app(), email, '/reset-password')
    assert.equal(
      (
        await anonymous(app()).post('/api/auth/password-reset/confirm', {
          token,
          newPassword: 'another four unusual words',
        })
      ).statusCode,
      200,
    )
    assert.equal(await reset.isGood(), false)

    const seen = await newPerson()
    const path = `/api/admin/users/${seen.person.user.id}`
    assert.equal((await admin.get(`${path}/access`)).json().appPasswords[0].id, seen.id)
    const helper = await signedInPerson(app(), { permissions: ['users:lifecycle'] })
    assert.equal((await helper.delete(`/api/admin/users/${admin.user.id}/app-passwords/x`)).statusCode, 403)
    assert.equal((await helper.delete(`${path}/app-passwords/${seen.id}`)).statusCode, 200)
    assert.equal((await helper.delete(`${path}/app-passwords/${seen.id}`)).statusCode, 404)
    assert.equal(await seen.isGood(), false)
    assert.equal((await typesOf(seen.person))[0], 'security.app_password_removed')
  })

  test('taking an address back ends those that were added from seven days before the change was asked for', async () => {
    const earlier = await signedInPerson(app(), { password: PASSWORD })
    await app().services.db.transaction((trx) => markEmailConfirmed(trx, earlier.user.id))
    const before = await make(earlier, { name: 'Before' })
    app().clock.advance(8 * DAY)
    const person = await signIn(app(), earlier.user)
    const to = `moved-${engine}@example.com`
    await person.post('/api/account/email', { email: to, currentPassword: PASSWORD })
    await person.post('/api/account/email/confirm', { token: (await lastMailTo(app(), to, '/verify-email')).token })
    const since = await make(person, { name: 'Since' })
    const { token } = await lastMailTo(app(), person.user.email, '/not-me')
    assert.equal((await anonymous(app()).post('/api/account/email/revert', { token })).statusCode, 200)
    const user = person.user.preferredUsername
    assert.equal((await visit(basic(user, before.password))).statusCode, 200)
    assert.equal((await visit(basic(user, since.password))).statusCode, 401)
  })
})

onEachEngine('the number of app passwords', (engine) => {
  const app = sharedApp({ engine, config: TRUSTING })
  test('is at most fifty, also when several are made at the same moment', async () => {
    const site = await createSite(await signedInPerson(app(), { admin: true }), { basic: true })
    const person = await signedInPerson(app())
    const make = () => person.post(PATH, { name: 'Phone', client_id: site.id })
    for (let at = 0; at < 49; at++) assert.equal((await make()).statusCode, 201)
    const last = await Promise.all([make(), make(), make()])
    assert.deepEqual(last.map(({ statusCode }) => String(statusCode)).toSorted(), ['201', '409', '409'])
    assert.equal((await person.get(PATH)).json().appPasswords.length, 50)
  })
})
