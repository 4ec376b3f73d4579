import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEVICE_CODE } from '../../../src/oauth/clients/grant-types.ts'
import { findSshBearer } from '../../../src/oauth/tokens/ssh-bearer-store.ts'
import { digest } from '../../../src/platform/crypto/digest.ts'
import { form, MULTIPART, picture } from '../../identity/account/upload.ts'
import { lifecycleOf } from '../../identity/lifecycle/actions.ts'
import { newPublicKey, saveKey, signInCertificateUser } from '../../ssh/public-keys.ts'
import { sharedApp } from '../../support/app.ts'
import { CLIENT_DEFAULTS, isLive, refresh, type Tokens } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'
import {
  askForDevice,
  decide,
  deviceTokens,
  errorOf,
  poll,
  registerDeviceClient,
  SSH_CLIENT,
  sshTokens,
  startDevice,
} from './devices.ts'
import { HOUR, call, certify } from './ssh-client-calls.ts'

onEachEngine('the built-in client latchkey-ssh', (engine) => {
  const app = sharedApp({ engine })

  test('is a public client with device codes, refresh tokens and the scope ssh', async () => {
    const administrator = await signedInPerson(app(), { admin: true })
    const { client } = (await administrator.get('/oauth/clients/latchkey-ssh')).json<{ client: object }>()
    assert.deepEqual(
      { ...client, createdAt: 0 },
      {
        ...CLIENT_DEFAULTS,
        client_id: 'latchkey-ssh',
        name: 'Latchkey SSH',
        clientType: 'public',
        redirect_uris: [],
        post_logout_redirect_uris: [],
        scopes: ['ssh'],
        grantTypes: [DEVICE_CODE, 'refresh_token'],
        builtIn: true,
        createdAt: 0,
      },
    )
  })

  test('can be turned off and on, and nothing else can be done with it', async () => {
    const administrator = await signedInPerson(app(), { admin: true })
    const person = await signInCertificateUser(app())
    const tokens = await sshTokens(app(), person)
    const started = await startDevice(app(), SSH_CLIENT, { scope: 'ssh' })
    const url = '/oauth/clients/latchkey-ssh'
    for (const change of [{ name: 'Mine' }, { scopes: ['ssh', 'openid'] }, { disabled: true, name: 'Mine' }])
      assert.equal((await administrator.patch(url, change)).statusCode, 409, JSON.stringify(change))
    assert.equal((await administrator.delete(url)).statusCode, 409)
    assert.equal((await administrator.post(`${url}/secret`)).statusCode, 409)
    const logo = await administrator.put(`${url}/logo`, form({ bytes: await picture() }), MULTIPART)
    assert.equal(logo.statusCode, 409, logo.body)
    assert.equal((await administrator.delete(`${url}/logo`)).statusCode, 409)

    const off = await administrator.patch(url, { disabled: true })
    assert.equal(off.json<{ client: { disabled: boolean } }>().client.disabled, true)
    assert.equal(await errorOf(askForDevice(app(), SSH_CLIENT, { scope: 'ssh' })), 'unauthorized_client')
    assert.equal(await errorOf(poll(app(), SSH_CLIENT, started.device_code)), 'unauthorized_client')
    assert.equal(await errorOf(refresh(app(), SSH_CLIENT, tokens.refresh_token)), 'unauthorized_client')
    assert.equal((await decide(person, started.user_code)).statusCode, 404)
    assert.equal((await call(app(), tokens.access_token, 'GET', '/api/ssh/keys')).statusCode, 401)

    assert.equal((await administrator.patch(url, { disabled: false })).statusCode, 200)
    assert.equal((await call(app(), tokens.access_token, 'GET', '/api/ssh/keys')).statusCode, 401)
    assert.equal(await errorOf(refresh(app(), SSH_CLIENT, tokens.refresh_token)), 'invalid_grant')
    assert.equal(await errorOf(poll(app(), SSH_CLIENT, started.device_code)), 'invalid_grant')
    const anew = await sshTokens(app(), person)
    assert.equal((await call(app(), anew.access_token, 'GET', '/api/ssh/keys')).statusCode, 200)
    assert.equal((await refresh(app(), SSH_CLIENT, anew.refresh_token)).statusCode, 200)
  })

  test('makes no change with a token that was checked before it was turned off and on', async () => {
    const administrator = await signedInPerson(app(), { admin: true })
    const person = await signInCertificateUser(app())
    const { access_token } = await sshTokens(app(), person)
    const { db, now } = app().services
    const asked = { hash: digest(access_token), permission: 'ssh:keys:manage', now: now() } as const
    const bearer = await findSshBearer(db.read, asked)
    assert.ok(bearer)
    const holds = (lock: 'shared' | 'exclusive') => db.transaction((trx) => bearer.token.lock(trx, now(), lock))
    assert.equal(await holds('shared'), true)
    for (const disabled of [true, false])
      assert.equal((await administrator.patch('/oauth/clients/latchkey-ssh', { disabled })).statusCode, 200)
    assert.deepEqual([await holds('shared'), await holds('exclusive')], [false, false])
  })

  test('is the only one that can have the scope ssh', async () => {
    const administrator = await signedInPerson(app(), { admin: true })
    const body = { name: 'Other', clientType: 'public', redirectUris: ['https://app.example/cb'], scopes: ['openid'] }
    const refused = await administrator.post('/oauth/clients', { ...body, scopes: ['openid', 'ssh'] })
    assert.deepEqual([refused.statusCode, refused.json<{ code: string }>().code], [400, 'reserved_scope'])
    const { client_id } = (await administrator.post('/oauth/clients', body)).json<{ client_id: string }>()
    const changed = await administrator.patch(`/oauth/clients/${client_id}`, { scopes: ['ssh'] })
    assert.deepEqual([changed.statusCode, changed.json<{ code: string }>().code], [400, 'reserved_scope'])
  })

  test('gets a refresh token without offline_access, and its sign-in ends 12 hours after the approval', async () => {
    const person = await signInCertificateUser(app())
    let tokens = await sshTokens(app(), person)
    assert.equal(tokens.scope, 'ssh')
    for (let hours = 0; hours < 11; hours++) {
      app().clock.advance(HOUR)
      tokens = (await refresh(app(), SSH_CLIENT, tokens.refresh_token)).json<Tokens>()
    }
    app().clock.advance(HOUR - 60_000)
    const last = (await refresh(app(), SSH_CLIENT, tokens.refresh_token)).json<Tokens>()
    assert.ok(last.expires_in <= 60, String(last.expires_in))
    app().clock.advance(60_000)
    assert.equal(await errorOf(refresh(app(), SSH_CLIENT, last.refresh_token)), 'invalid_grant')
    assert.equal((await call(app(), last.access_token, 'GET', '/api/ssh/keys')).statusCode, 401)
  })

  test('its token opens keys, principals and certificates, as its person', async () => {
    const person = await signInCertificateUser(app(), ['deploy'])
    const tokens = await sshTokens(app(), person)
    const id = await certify(app(), tokens)
    const principals = await call(app(), tokens.access_token, 'GET', '/api/ssh/principals')
    assert.deepEqual(principals.json(), { principals: [person.user.preferredUsername, 'deploy'] })
    const { keys } = (await call(app(), tokens.access_token, 'GET', '/api/ssh/keys')).json<{ keys: { id: string }[] }>()
    assert.deepEqual(
      keys.map((key) => key.id),
      [id],
    )
    assert.equal((await call(app(), tokens.access_token, 'DELETE', `/api/ssh/keys/${id}`)).statusCode, 200)
    const { certificates } = (await person.get('/api/ssh/certs/mine')).json<{ certificates: { revokedAt: number }[] }>()
    assert.notEqual(certificates[0]?.revokedAt, null)
  })

  test('its token opens nothing else, also where the cookie beside it would', async () => {
    const administrator = await signedInPerson(app(), { admin: true })
    const { access_token: token } = await sshTokens(app(), administrator)
    const { cookie } = administrator
    for (const url of [
      '/api/auth/me',
      '/api/ssh/certs',
      '/api/ssh/certs/mine',
      '/api/account/profile',
      '/oauth/clients',
    ]) {
      assert.equal((await call(app(), token, 'GET', url)).statusCode, 401, url)
      assert.equal((await call(app(), token, 'GET', url, { cookie })).statusCode, 401, url)
      assert.equal((await administrator.get(url)).statusCode, 200, url)
    }
    const body = { user_code: 'BCDF-GHJK' }
    assert.equal((await call(app(), token, 'POST', '/oauth/device/approve', { body, cookie })).statusCode, 401)
    assert.equal((await call(app(), token, 'GET', '/oauth/userinfo')).statusCode, 403)
  })

  test('the Authorization header decides over the cookie, and a bad token is not saved by a good session', async () => {
    const [person, other] = [await signInCertificateUser(app()), await signInCertificateUser(app())]
    const { access_token: token } = await sshTokens(app(), person)
    const id = await saveKey(person)
    const mine = await call(app(), token, 'GET', '/api/ssh/keys', { cookie: other.cookie })
    assert.deepEqual(
      mine.json<{ keys: { id: string }[] }>().keys.map((key) => key.id),
      [id],
    )
    for (const bad of ['at_unknown', 'two words', ''])
      assert.equal((await call(app(), bad, 'GET', '/api/ssh/keys', { cookie: other.cookie })).statusCode, 401, bad)
    const refused = await call(app(), 'at_unknown', 'GET', '/api/ssh/keys')
    assert.equal(refused.headers['www-authenticate'], 'Bearer error="invalid_token"')
  })

  test('the rule against forged requests does not apply to a token, and still applies to a cookie', async () => {
    const person = await signInCertificateUser(app())
    const { access_token: token } = await sshTokens(app(), person)
    const body = { name: 'a', publicKey: newPublicKey() }
    const headers = { origin: 'https://evil.example' }
    assert.equal((await call(app(), token, 'POST', '/api/ssh/keys', { body, headers })).statusCode, 201)
    const again = { name: 'b', publicKey: newPublicKey() }
    assert.equal((await person.post('/api/ssh/keys', again, headers)).statusCode, 403)
    const approve = await call(app(), token, 'POST', '/oauth/device/approve', {
      body: { user_code: 'BCDF-GHJK' },
      cookie: person.cookie,
      headers,
    })
    assert.equal(approve.statusCode, 403)
  })

  test('without the permission the person gets 403, and tokens of other clients 401', async () => {
    const person = await signedInPerson(app())
    const { access_token: token } = await sshTokens(app(), person)
    assert.equal((await call(app(), token, 'GET', '/api/ssh/keys')).statusCode, 403)
    assert.equal((await call(app(), token, 'POST', '/api/ssh/certs/issue', { body: {} })).statusCode, 403)
    const user = await signInCertificateUser(app())
    const other = await deviceTokens(app(), user, await registerDeviceClient(app()))
    assert.equal((await call(app(), other.access_token, 'GET', '/api/ssh/keys')).statusCode, 401)
    // As if another client had been given the scope before it was reserved.
    const older = await registerDeviceClient(app())
    await app().services.db.transaction((trx) =>
      trx.updateTable('oauth_clients').set({ scopes: '["ssh"]' }).where('client_id', '=', older.clientId).execute(),
    )
    const tokens = await deviceTokens(app(), user, older, { scope: 'ssh' })
    assert.equal((await call(app(), tokens.access_token, 'GET', '/api/ssh/keys')).statusCode, 401)
  })

  test('switching the person off, or revoking the grant or the token, ends it at once', async () => {
    const administrator = await signedInPerson(app(), { admin: true })
    const [disabled, revoked, signedOut] = [
      await signInCertificateUser(app()),
      await signInCertificateUser(app()),
      await signInCertificateUser(app()),
    ]
    const tokens = [
      await sshTokens(app(), disabled),
      await sshTokens(app(), revoked),
      await sshTokens(app(), signedOut),
    ]
    await administrator.post(lifecycleOf(disabled.user.id), { action: 'disable' })
    await revoked.delete('/api/account/oauth/grants/latchkey-ssh')
    const revoke = `token=${tokens[2]?.refresh_token}&client_id=latchkey-ssh`
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    await app().app.inject({ method: 'POST', url: '/oauth/revoke', headers, payload: revoke })
    for (const each of tokens) {
      assert.equal((await call(app(), each.access_token, 'GET', '/api/ssh/keys')).statusCode, 401)
      assert.equal(await errorOf(refresh(app(), SSH_CLIENT, each.refresh_token)), 'invalid_grant')
      assert.equal(await isLive(app(), SSH_CLIENT, each.access_token), false)
    }
  })

  test('a token that is revoked while the body is on its way saves no key', async () => {
    const person = await signInCertificateUser(app())
    const { access_token: token } = await sshTokens(app(), person)
    const { digest } = await import('../../../src/platform/crypto/digest.ts')
    const { findSshBearer } = await import('../../../src/oauth/tokens/ssh-bearer-store.ts')
    const { addSshKey } = await import('../../../src/ssh/issuing/manage-ssh-keys.ts')
    const { services } = app()
    const lookup = { hash: digest(token), permission: 'ssh:keys:manage', now: services.now() } as const
    const bearer = await findSshBearer(services.db.read, lookup)
    assert.ok(bearer)
    await person.delete('/api/account/oauth/grants/latchkey-ssh')
    const source = {
      ipAddress: '',
      userAgent: null,
      geolocation: { country: null, city: null, region: null },
      requestId: '',
    }
    const actor = { id: person.user.id, email: '', source, permission: null, token: bearer.token }
    await assert.rejects(addSshKey(services, actor, { name: 'late', publicKey: newPublicKey() }), {
      code: 'unauthenticated',
    })
  })

  test('certificates notify once for each sign-in; those of a session each time', async () => {
    const person = await signInCertificateUser(app())
    const notified = async () => {
      const answer = await person.get('/api/notifications')
      return answer
        .json<{ notifications: { type: string }[] }>()
        .notifications.filter(({ type }) => type === 'ssh.cert_issued').length
    }
    const tokens = await sshTokens(app(), person)
    for (let each = 0; each < 3; each++) await certify(app(), tokens)
    assert.equal(await notified(), 1)
    await certify(app(), (await refresh(app(), SSH_CLIENT, tokens.refresh_token)).json<Tokens>())
    assert.equal(await notified(), 1)
    await certify(app(), await sshTokens(app(), person))
    assert.equal(await notified(), 2)
    const savedKeyId = await saveKey(person)
    for (let each = 0; each < 2; each++) await person.post('/api/ssh/certs/issue', { savedKeyId })
    assert.equal(await notified(), 4)
  })
})
