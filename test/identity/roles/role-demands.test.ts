import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Response } from 'light-my-request'
import { skipEscalationCheck } from '../../../src/identity/roles/checked-trx.ts'
import { addAssignment, addRole } from '../../../src/identity/roles/role-store.ts'
import { deviceTokens, registerDeviceClient, sshTokens } from '../../oauth/device/devices.ts'
import {
  createSite,
  forwardAuth,
  locationOf as siteLocationOf,
  NAVIGATION,
  signInAt,
  TRUSTING,
} from '../../proxy/visits.ts'
import { ORIGIN, sharedApp } from '../../support/app.ts'
import {
  authorizeUrl,
  exchangeCode,
  getCode,
  getTokens,
  isLive,
  locationOf,
  newPkce,
  refresh,
  registerApplication,
  userinfo,
} from '../../support/application.ts'
import type { Authenticator } from '../../support/authenticator.ts'
import { onEachEngine } from '../../support/engines.ts'
import { lastMailTo } from '../../support/mail.ts'
import { anonymous, cookieOf, type Person, signedInPerson, type SignedInPerson, signIn } from '../../support/people.ts'
import { login as loginWithPasskey, newAuthenticator, register } from '../passkeys/ceremonies.ts'
import { addApp, beginLogin, finishLogin } from '../second-step/authenticator-app.ts'

const PASSWORD = 'four unusual words here'
const DAY = 24 * 3_600_000

/** What a session may do that is less than a role demands; every other route behind a session refuses it. */
const OPEN = [
  'DELETE /api/account/app-passwords/{id}',
  'DELETE /api/account/oauth/grants/{clientId}',
  'DELETE /api/admin/users/{userId}/app-passwords/{appPasswordId}',
  'DELETE /api/admin/users/{userId}/roles/{roleId}',
  'DELETE /api/admin/users/{userId}/sessions/{sessionId}',
  'DELETE /api/ssh/keys/{id}',
  'GET /api/auth/fresh',
  'GET /api/auth/me',
  'GET /api/notifications',
  'GET /api/notifications/stream',
  'POST /api/admin/users/{userId}/sign-out',
  'POST /api/auth/fresh',
  'POST /api/auth/fresh/options',
  'POST /api/auth/sessions/revoke-all',
  'POST /api/auth/sessions/{id}/revoke',
  'POST /api/auth/setup-link',
  'POST /api/notifications/read-all',
  'POST /api/notifications/{id}/not-me',
  'POST /api/passkeys/register/options',
  'POST /api/passkeys/register/verify',
  'PATCH /api/notifications/{id}/read',
  'POST /api/account/totp',
  'POST /api/account/totp/confirm',
  'POST /api/ssh/certs/{id}/revoke',
  'POST /api/ssh/hosts/{id}/sessions/end',
].toSorted()

onEachEngine('what a role demands of a sign-in', (engine) => {
  const app = sharedApp({ engine, config: TRUSTING })
  let admin: SignedInPerson
  let count = 0
  before(async () => {
    admin = await signedInPerson(app(), { admin: true, password: PASSWORD })
    await signedInPerson(app(), { admin: true })
  })
  const newRole = async (settings: object = {}): Promise<string> => {
    const answer = await admin.post('/api/admin/roles', { name: `demanding ${engine} ${++count}`, ...settings })
    assert.equal(answer.statusCode, 201, answer.body)
    return answer.json().role.id
  }
  const give = async (person: SignedInPerson, roleId: string) => {
    const answer = await admin.post(`/api/admin/users/${person.user.id}/roles`, { roleId })
    assert.equal(answer.statusCode, 200, answer.body)
  }
  const demand = async (person: SignedInPerson, requires: string) => give(person, await newRole({ requires }))
  const signedIn = () => signedInPerson(app(), { password: PASSWORD })
  const me = async (person: Person) => {
    const { mustSetUp, mustProve } = (await person.get('/api/auth/me')).json()
    return { mustSetUp, mustProve }
  }
  const NOTHING = { mustSetUp: undefined, mustProve: undefined }
  const assertHeld = (answer: Response) => {
    assert.equal(answer.statusCode, 403, answer.body)
    assert.equal(answer.json().code, 'setup_needed', answer.body)
  }
  const isLetIn = async (person: Person) => (await person.get('/api/account/profile')).statusCode === 200
  const proveWithPasskey = async (person: Person, authenticator: Authenticator, overrides = {}) => {
    const { challengeId, options } = (await person.post('/api/auth/fresh/options', {})).json()
    const proof = { challengeId, response: authenticator.authenticate(options, overrides) }
    return person.post('/api/auth/fresh', proof)
  }
  const withPasskey = async (overrides = {}) => {
    const person = await signedIn()
    const authenticator = newAuthenticator()
    assert.equal((await register(person, authenticator, overrides)).statusCode, 200)
    return { person, authenticator }
  }

  test('is met at the next request: who has a passkey proves it in the session, and who has less than that is held', async () => {
    const { person, authenticator } = await withPasskey()
    assert.deepEqual(await me(person), NOTHING)
    await demand(person, 'passkey')
    assert.deepEqual(await me(person), { mustSetUp: undefined, mustProve: ['passkey'] })
    assertHeld(await person.get('/api/account/profile'))
    assertHeld(await person.post('/api/account/totp'))
    assertHeld(await person.post('/api/passkeys/register/options'))
    assert.equal((await person.post('/api/auth/fresh', { password: PASSWORD })).statusCode, 200)
    assertHeld(await person.get('/api/account/profile'))
    const { options } = (await person.post('/api/auth/fresh/options', {})).json()
    assert.equal(options.userVerification, 'required')
    // A passkey that did not verify its user proves less.
    assert.equal((await proveWithPasskey(person, authenticator, { flags: { UV: false } })).statusCode, 200)
    assertHeld(await person.get('/api/account/profile'))
    assert.equal((await proveWithPasskey(person, authenticator)).statusCode, 200)
    assert.equal(await isLetIn(person), true)
    assert.deepEqual(await me(person), NOTHING)
    // Another session of the same person is held still, and a sign-in with the passkey is not.
    assertHeld(await (await signIn(app(), person.user)).get('/api/account/profile'))
    const visitor = anonymous(app())
    const entered = anonymous(app(), cookieOf(await loginWithPasskey(visitor, authenticator)))
    assert.equal(await isLetIn(entered), true)
    const weak = anonymous(app(), cookieOf(await loginWithPasskey(visitor, authenticator, { flags: { UV: false } })))
    assertHeld(await weak.get('/api/account/profile'))
  })

  test('second_step is met by a code or by a passkey, and not by a recovery code', async () => {
    const person = await signedIn()
    const { code, recoveryCodes } = await addApp(app(), person)
    await demand(person, 'second_step')
    assert.deepEqual(await me(person), { mustSetUp: undefined, mustProve: ['second_step'] })
    const recovered = await person.post('/api/auth/fresh', { password: PASSWORD, recoveryCode: recoveryCodes[0] })
    assert.equal(recovered.statusCode, 200, recovered.body)
    assertHeld(await person.get('/api/account/profile'))
    const visitor = anonymous(app())
    const waiting = await beginLogin(visitor, { email: person.user.email, password: PASSWORD })
    const answer = await finishLogin(visitor, waiting, { recoveryCode: recoveryCodes[1] })
    const lesser = anonymous(app(), cookieOf(answer))
    for (const [method, url] of [
      ['get', '/api/account/profile'],
      ['post', '/api/account/recovery-codes'],
      ['delete', '/api/account/totp'],
      ['post', '/api/account/totp'],
    ] as const)
      assertHeld(await lesser[method](url))
    assert.equal((await person.post('/api/auth/fresh', { password: PASSWORD, code: code() })).statusCode, 200)
    assert.equal(await isLetIn(person), true)
    const { person: other } = await withPasskey({ flags: { UV: false } })
    await demand(other, 'second_step')
    assert.deepEqual(await me(other), { mustSetUp: undefined, mustProve: ['passkey'] })
  })

  test('who has none sets it up from a lesser sign-in within seven days, and is then let in', async () => {
    const person = await signedIn()
    await demand(person, 'passkey')
    assert.deepEqual(await me(person), { mustSetUp: ['passkey'], mustProve: undefined })
    assertHeld(await person.get('/api/account/profile'))
    assertHeld(await person.post('/api/account/totp'))
    app().clock.advance(7 * DAY - 5 * 60_000)
    const late = await signIn(app(), person.user)
    assert.equal((await register(late, newAuthenticator())).statusCode, 200)
    assert.equal(await isLetIn(late), true)

    const second = await signedIn()
    await demand(second, 'second_step')
    assert.deepEqual(await me(second), { mustSetUp: ['second_step'], mustProve: undefined })
    await addApp(app(), second)
    assert.equal(await isLetIn(second), true)
  })

  test('a passkey that the browser makes by itself is never offered to who has to have one that verifies its user', async () => {
    const person = await signedIn()
    const offer = () =>
      app().services.db.transaction((trx) =>
        trx.updateTable('sessions').set({ offers_passkey: 1 }).where('id', '=', person.sessionId).execute(),
      )
    const begin = async () => (await person.post('/api/passkeys/register/options', { conditional: true })).statusCode
    await offer()
    assert.equal(await begin(), 200)
    await demand(person, 'passkey')
    await offer()
    assert.equal(await begin(), 403)
    assert.equal((await person.post('/api/passkeys/register/options')).statusCode, 200)
  })

  test('after seven days only a link of an administrator helps, once, in a session of that account', async () => {
    const person = await signedIn()
    await app().services.db.transaction((trx) =>
      trx.updateTable('users').set({ email_verified: 1 }).where('id', '=', person.user.id).execute(),
    )
    const roleId = await newRole({ requires: 'passkey' })
    await give(person, roleId)
    app().clock.advance(7 * DAY)
    const later = await signIn(app(), person.user)
    assert.deepEqual(await me(later), { mustSetUp: ['passkey'], mustProve: undefined })
    assertHeld(await later.post('/api/passkeys/register/options'))
    // Another role that demands the same does not begin the days anew.
    await demand(person, 'passkey')
    assertHeld(await later.post('/api/passkeys/register/options'))

    const helper = await signedInPerson(app(), { permissions: ['users:read'] })
    const path = `/api/admin/users/${person.user.id}/setup-link`
    assert.equal((await helper.post(path)).json().code, 'forbidden')
    assert.equal((await admin.post(path)).statusCode, 200)
    const token = (await lastMailTo(app(), person.user.email, '/step-up')).token
    const stranger = await signedIn()
    assert.equal((await stranger.post('/api/auth/setup-link', { token })).json().code, 'invalid_token')
    assert.equal((await later.post('/api/auth/setup-link', { token })).statusCode, 200)
    assert.equal((await later.post('/api/auth/setup-link', { token })).json().code, 'invalid_token')
    // It serves in that session alone.
    assertHeld(await (await signIn(app(), person.user)).post('/api/passkeys/register/options'))
    assert.equal((await register(later, newAuthenticator())).statusCode, 200)
    assert.equal(await isLetIn(later), true)
    // Who has it needs no link, and a link that was made before does not let a lesser session add another one.
    assert.equal((await admin.post(path)).statusCode, 409)
  })

  test('a link is worth nothing after a day, or once the person has what is demanded', async () => {
    const person = await signedIn()
    await demand(person, 'passkey')
    const link = async () => {
      assert.equal((await admin.post(`/api/admin/users/${person.user.id}/setup-link`)).statusCode, 200)
      return (await lastMailTo(app(), person.user.email, '/step-up')).token
    }
    const expired = await link()
    app().clock.advance(DAY)
    const session = await signIn(app(), person.user)
    assert.equal((await session.post('/api/auth/setup-link', { token: expired })).json().code, 'invalid_token')
    const opened = await link()
    const idle = await signIn(app(), person.user)
    assert.equal((await idle.post('/api/auth/setup-link', { token: opened })).statusCode, 200)
    assert.equal((await idle.post('/api/passkeys/register/options')).statusCode, 200)
    const token = await link()
    assert.equal((await register(session, newAuthenticator())).statusCode, 200)
    assertHeld(await idle.post('/api/passkeys/register/options'))
    const thief = await signIn(app(), person.user)
    assert.equal((await thief.post('/api/auth/setup-link', { token })).statusCode, 409)
    assertHeld(await thief.post('/api/passkeys/register/options'))
  })

  test('tokens, codes, devices and refreshes of a lesser sign-in are nothing while it is demanded', async () => {
    const application = await registerApplication(app())
    const device = await registerDeviceClient(app())
    const { person, authenticator } = await withPasskey()
    const tokens = await getTokens(app(), person, application)
    const ofDevice = await deviceTokens(app(), person, device)
    const pkce = newPkce()
    const code = await getCode(person, application, pkce)
    const roleId = await newRole()
    await give(person, roleId)
    const demandOfRole = async (requires: string) =>
      assert.equal((await admin.patch(`/api/admin/roles/${roleId}`, { requires })).statusCode, 200)
    await demandOfRole('passkey')
    for (const token of [tokens.access_token, tokens.refresh_token])
      assert.equal(await isLive(app(), application, token), false)
    assert.equal(await isLive(app(), device, ofDevice.access_token), false)
    assert.equal((await userinfo(app(), tokens.access_token)).statusCode, 401)
    assert.equal((await refresh(app(), application, tokens.refresh_token)).json().error, 'invalid_grant')
    assert.equal((await exchangeCode(app(), application, code, pkce)).json().error, 'invalid_grant')
    const visit = async (change = {}) => locationOf(await person.get(authorizeUrl(application, newPkce(), change)))
    assert.equal((await visit()).href.split('?')[0], `${ORIGIN}/step-up`)
    assert.equal((await visit({ prompt: 'none' })).searchParams.get('error'), 'login_required')
    assertHeld(await person.post('/oauth/device/approve', { user_code: 'BCDF-GHJK' }))
    assertHeld(await person.get('/oauth/device/details?user_code=BCDF-GHJK'))
    // What was given in a session that is enough lives.
    assert.equal((await proveWithPasskey(person, authenticator)).statusCode, 200)
    const strong = await getTokens(app(), person, application)
    assert.equal(await isLive(app(), application, strong.access_token), true)
    assert.equal((await refresh(app(), application, strong.refresh_token)).statusCode, 200)
    assert.equal(await isLive(app(), application, tokens.access_token), false)
    // Nothing has ended: once less is demanded, the others are good again.
    await demandOfRole('none')
    assert.equal(await isLive(app(), application, tokens.access_token), true)
    const nothing = await signedIn()
    await demand(nothing, 'passkey')
    const refused = locationOf(await nothing.get(authorizeUrl(application, newPkce(), { prompt: 'none' })))
    assert.equal(refused.searchParams.get('error'), 'unmet_authentication_requirements')
  })

  test('a token of latchkey-ssh and a session that are less get no certificate and no key', async () => {
    const person = await signedInPerson(app(), {
      password: PASSWORD,
      permissions: ['ssh:keys:manage', 'ssh:cert:issue'],
    })
    const { access_token } = await sshTokens(app(), person)
    const ask = () => app().app.inject({ url: '/api/ssh/keys', headers: { authorization: `Bearer ${access_token}` } })
    assert.equal((await ask()).statusCode, 200)
    await demand(person, 'second_step')
    assert.equal((await ask()).statusCode, 401)
    assertHeld(await person.get('/api/ssh/keys'))
    assertHeld(await person.post('/api/ssh/certs/issue', {}))
  })

  test('visits at a site and app passwords of a lesser session are nobody’s, and a sign-in there asks for more', async () => {
    const { id, origin } = await createSite(admin, { basic: true })
    const { person, authenticator } = await withPasskey()
    const cookie = await signInAt(app(), person, `${origin}/`)
    const make = async (name: string): Promise<string> =>
      (await person.post('/api/account/app-passwords', { name, client_id: id })).json().password
    const visit = async () => (await forwardAuth(app(), { url: `${origin}/x`, cookie, headers: NAVIGATION })).statusCode
    const send = async (password: string) => {
      const basic = Buffer.from(`${person.user.preferredUsername}:${password}`).toString('base64')
      return (await forwardAuth(app(), { url: `${origin}/x`, headers: { authorization: `Basic ${basic}` } })).statusCode
    }
    const weak = await make('weak')
    assert.deepEqual([await visit(), await send(weak)], [200, 200])
    await demand(person, 'passkey')
    assert.deepEqual([await visit(), await send(weak)], [302, 401])
    const begun = await forwardAuth(app(), { url: `${origin}/.latchkey/login?to=/`, headers: NAVIGATION })
    const asked = await person.get(siteLocationOf(begun).replace(ORIGIN, ''))
    assert.match(siteLocationOf(asked), /\/step-up\?return_to=.*&acr=phr$/)
    assert.equal((await proveWithPasskey(person, authenticator)).statusCode, 200)
    assert.deepEqual([await visit(), await send(weak)], [200, 401])
    assert.equal(await send(await make('strong')), 200)
  })

  test('a lesser session still ends and revokes, reads notifications and signs out', async () => {
    const person = await signedInPerson(app(), { password: PASSWORD, permissions: ['users:lifecycle'] })
    const other = await signIn(app(), person.user)
    await demand(person, 'passkey')
    assert.equal((await person.get('/api/notifications')).statusCode, 200)
    assert.equal((await person.post(`/api/auth/sessions/${other.sessionId}/revoke`)).statusCode, 200)
    assert.equal((await person.post('/api/auth/sessions/revoke-all')).statusCode, 200)
    const victim = await signedIn()
    assert.equal((await person.post(`/api/admin/users/${victim.user.id}/sign-out`)).statusCode, 200)
    assertHeld(await person.post(`/api/admin/users/${victim.user.id}/lifecycle`, { action: 'enable' }))
    assert.equal((await person.post('/api/auth/logout')).statusCode, 200)
    assert.equal((await person.get('/api/auth/me')).statusCode, 401)
  })

  test('every other route behind a session refuses one that is less, before it looks at permission and body', async () => {
    const person = await signedInPerson(app())
    await demand(person, 'second_step')
    const { paths } = (await app().app.inject('/openapi.json')).json<{
      paths: Record<string, Record<string, { security?: object[] }>>
    }>()
    const open: string[] = []
    for (const [path, operations] of Object.entries(paths))
      for (const [method, { security }] of Object.entries(operations)) {
        if (!security?.some((scheme) => 'session' in scheme)) continue
        const name = `${method.toUpperCase()} ${path}`
        // A stream does not end, and its guard is that of the list.
        if (name === 'GET /api/notifications/stream' || name === 'POST /api/auth/sessions/revoke-all') {
          open.push(name)
          continue
        }
        const url = path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000')
        const answer = await person[method as 'get'](url, method === 'get' ? undefined : {})
        if (answer.json<{ code?: string }>().code !== 'setup_needed') open.push(name)
        else assert.equal(answer.statusCode, 403, name)
      }
    assert.deepEqual(open.toSorted(), OPEN)
  })

  test('a demand that comes between the guard and the body is found in the transaction', async () => {
    const { person } = await withPasskey()
    const { lockActor } = await import('../../../src/identity/sessions/lock-actor.ts')
    const { services } = app()
    const actor = { id: person.user.id, sessionId: person.sessionId, permission: null }
    await services.db.transaction((trx) => lockActor(trx, services, actor))
    await demand(person, 'passkey')
    const locked = services.db.transaction((trx) => lockActor(trx, services, actor))
    await assert.rejects(locked, { code: 'setup_needed' })
    const setsUp = { ...actor, lesser: 'set_up_passkey' as const }
    await assert.rejects(
      services.db.transaction((trx) => lockActor(trx, services, setsUp)),
      { code: 'setup_needed' },
    )
    await services.db.transaction((trx) => lockActor(trx, services, { ...actor, lesser: 'anything' as const }))
  })
})

onEachEngine('what a role demands of the last administrator', (engine) => {
  const app = sharedApp({ engine })
  test('is set only by a session that meets it, and its last means stay', async () => {
    const admin = await signedInPerson(app(), { admin: true, password: PASSWORD })
    const authenticator = newAuthenticator()
    const conflict = (answer: Response) => assert.equal(answer.statusCode, 409, answer.body)
    const roles = (await admin.get('/api/admin/roles')).json<{ roles: { id: string; name: string }[] }>().roles
    const adminRole = roles.find(({ name }) => name === 'admin')?.id ?? ''
    const raise = (requires: string) => admin.patch(`/api/admin/roles/${adminRole}`, { requires })
    conflict(await raise('second_step'))
    conflict(await raise('passkey'))
    const made = await admin.post('/api/admin/roles', { name: 'strong', requires: 'passkey' })
    const roleId = made.json().role.id
    assert.equal(made.json().role.requires, 'passkey')
    conflict(await admin.post(`/api/admin/users/${admin.user.id}/roles`, { roleId }))
    assert.equal((await register(admin, authenticator)).statusCode, 200)
    // Having it is not enough: the session has to meet it.
    conflict(await raise('passkey'))
    const strong = anonymous(app(), cookieOf(await loginWithPasskey(anonymous(app()), authenticator)))
    assert.equal((await strong.patch(`/api/admin/roles/${adminRole}`, { requires: 'passkey' })).statusCode, 200)
    const [passkey] = (await strong.get('/api/passkeys')).json<{ passkeys: { id: string }[] }>().passkeys
    conflict(await strong.delete(`/api/passkeys/${passkey?.id}`))
    conflict(await strong.delete(`/api/admin/users/${admin.user.id}/passkeys/${passkey?.id}`))
    // With a second one, the first may go.
    assert.equal((await register(strong as SignedInPerson, newAuthenticator())).statusCode, 200)
    assert.equal((await strong.delete(`/api/passkeys/${passkey?.id}`)).statusCode, 200)
    for (const bad of ['totp', '', null, 2])
      assert.equal((await strong.patch(`/api/admin/roles/${adminRole}`, { requires: bad })).statusCode, 400)
    // Lowering needs a fresh sign-in, raising does not.
    assert.equal((await strong.patch('/api/admin/settings', { freshSignIn: true })).statusCode, 200)
    app().clock.advance(10 * 60_000)
    const lower = () => strong.patch(`/api/admin/roles/${adminRole}`, { requires: 'second_step' })
    assert.equal((await lower()).json().code, 'fresh_sign_in_needed')
    assert.equal((await strong.patch(`/api/admin/roles/${roleId}`, { requires: 'passkey' })).statusCode, 200)
    assert.equal((await strong.post('/api/auth/fresh', { password: PASSWORD })).statusCode, 200)
    assert.equal((await lower()).statusCode, 200)
  })

  test('recover makes a link that replaces what was lost', async () => {
    const { makeRecoveryLink } = await import('../../../src/identity/sign-in/set-up-links.ts')
    const person = await signedInPerson(app(), { password: PASSWORD })
    const { services } = app()
    assert.equal((await register(person, newAuthenticator())).statusCode, 200)
    await services.db.transaction(async (trx) => {
      const checked = skipEscalationCheck(trx)
      await addRole(checked, 'demanding', { name: 'demanding', requires: 'passkey' }, services.now())
      await addAssignment(checked, { userId: person.user.id, roleId: 'demanding', now: services.now() })
    })
    app().clock.advance(30 * DAY)
    const lost = await signIn(app(), person.user)
    assertHeldBy(await lost.post('/api/passkeys/register/options'))
    const token = (await makeRecoveryLink(services, person.user.email)).split('#token=')[1]
    assert.equal((await lost.post('/api/auth/setup-link', { token })).statusCode, 200)
    assert.equal((await register(lost, newAuthenticator())).statusCode, 200)
    assert.equal((await lost.get('/api/account/profile')).statusCode, 200)
    await assert.rejects(makeRecoveryLink(services, 'nobody@example.com'), /no account/i)
  })
})

const assertHeldBy = (answer: Response) => assert.equal(answer.json().code, 'setup_needed', answer.body)
