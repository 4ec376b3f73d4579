import assert from 'node:assert/strict'
import { test } from 'node:test'
import { revokeTokensOfUsers } from '../../../src/oauth/authorizations/revoke-authorizations.ts'
import { sharedApp } from '../../support/app.ts'
import {
  authorizeUrl,
  basic,
  credentials,
  exchangeCode,
  type Fields,
  getCode,
  getTokens,
  introspect,
  isLive,
  locationOf,
  newPkce,
  postForm,
  refresh,
  registerApplication,
  type Tokens,
  userinfo,
} from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

onMainEngine('revocation and introspection', (engine) => {
  const app = sharedApp({ engine })
  const revoke = (fields: Fields, headers?: Record<string, string>) => postForm(app(), '/oauth/revoke', fields, headers)

  test('revoking an access token revokes nothing else', async () => {
    const application = await registerApplication(app())
    const tokens = await getTokens(app(), await signedInPerson(app()), application)
    const answer = await revoke({ token: tokens.access_token }, { authorization: basic(application) })
    assert.deepEqual([answer.statusCode, answer.json()], [200, { success: true }])
    assert.equal((await userinfo(app(), tokens.access_token)).statusCode, 401)
    assert.equal(await isLive(app(), application, tokens.refresh_token), true)
  })

  test('revoking a refresh token revokes its family and all of its access tokens', async () => {
    const application = await registerApplication(app())
    const first = await getTokens(app(), await signedInPerson(app()), application)
    const second = (await refresh(app(), application, first.refresh_token)).json<Tokens>()
    await revoke({ ...credentials(application), token: second.refresh_token })
    for (const token of [first.access_token, second.access_token, second.refresh_token])
      assert.equal(await isLive(app(), application, token), false)
    assert.equal((await refresh(app(), application, second.refresh_token)).statusCode, 400)
  })

  test('a token is revoked even with a wrong token_type_hint', async () => {
    const application = await registerApplication(app())
    const tokens = await getTokens(app(), await signedInPerson(app()), application)
    await revoke({ ...credentials(application), token: tokens.access_token, token_type_hint: 'refresh_token' })
    assert.equal(await isLive(app(), application, tokens.access_token), false)
    await revoke({ ...credentials(application), token: tokens.refresh_token, token_type_hint: 'nonsense' })
    assert.equal(await isLive(app(), application, tokens.refresh_token), false)
  })

  test('an unknown token answers 200, a missing one 400, and a missing client authentication 401', async () => {
    const application = await registerApplication(app())
    assert.equal((await revoke({ ...credentials(application), token: 'at_unknown' })).statusCode, 200)
    const missing = await revoke(credentials(application))
    assert.deepEqual([missing.statusCode, missing.json<{ error: string }>().error], [400, 'invalid_request'])
    for (const url of ['/oauth/revoke', '/oauth/introspect']) {
      for (const fields of [{ token: 'x' }, { token: 'x', client_id: application.clientId }]) {
        const answer = await postForm(app(), url, fields)
        assert.deepEqual([answer.statusCode, answer.json<{ error: string }>().error], [401, 'invalid_client'])
      }
    }
  })

  test("another client's token is not revoked", async () => {
    const application = await registerApplication(app())
    const other = await registerApplication(app())
    const tokens = await getTokens(app(), await signedInPerson(app()), application)
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      assert.equal((await revoke({ ...credentials(other), token })).statusCode, 200)
      assert.equal(await isLive(app(), application, token), true)
    }
  })

  test('a public client can revoke and introspect its own tokens, and no others', async () => {
    const spa = await registerApplication(app(), { clientType: 'public' })
    const person = await signedInPerson(app())
    const own = await getTokens(app(), person, spa)
    const foreign = await getTokens(app(), person, await registerApplication(app()))
    assert.equal(await isLive(app(), spa, own.access_token), true)
    assert.deepEqual((await introspect(app(), spa, foreign.access_token)).json(), { active: false })
    await revoke({ client_id: spa.clientId, token: own.access_token })
    assert.equal(await isLive(app(), spa, own.access_token), false)
  })

  test('introspecting anything that is not live answers exactly {"active":false}', async () => {
    const application = await registerApplication(app())
    const tokens = await getTokens(app(), await signedInPerson(app()), application)
    await refresh(app(), application, tokens.refresh_token)
    await revoke({ ...credentials(application), token: tokens.access_token })
    for (const token of ['', 'x', 'at_', tokens.access_token, tokens.refresh_token, tokens.id_token, 'ac_x', 'é']) {
      const answer = await introspect(app(), application, token)
      if (token === '') assert.equal(answer.statusCode, 400)
      else assert.deepEqual([answer.statusCode, answer.body], [200, '{"active":false}'])
    }
  })

  test('userinfo refuses a missing token, an unknown one, one without openid, and one in the URL', async () => {
    const { app: server } = app()
    const none = await server.inject({ method: 'GET', url: '/oauth/userinfo' })
    assert.deepEqual([none.statusCode, none.headers['www-authenticate']], [401, 'Bearer'])
    const bad = await userinfo(app(), 'at_bad')
    assert.equal(bad.statusCode, 401)
    assert.match(bad.headers['www-authenticate'] as string, /^Bearer error="invalid_token"/)
    assert.equal(bad.json<{ error: string }>().error, 'invalid_token')

    const application = await registerApplication(app(), { scopes: ['openid', 'profile'] })
    const person = await signedInPerson(app())
    const { access_token: narrow } = await getTokens(app(), person, application, { scope: 'profile' })
    const narrowed = await userinfo(app(), narrow)
    assert.equal(narrowed.statusCode, 403)
    assert.match(narrowed.headers['www-authenticate'] as string, /error="insufficient_scope"/)

    const { access_token } = await getTokens(app(), person, application, { scope: 'openid' })
    const url = `/oauth/userinfo?access_token=${access_token}`
    assert.equal((await server.inject({ method: 'GET', url })).statusCode, 401)
    const headers = { authorization: `Bearer ${access_token}` }
    assert.equal((await postForm(app(), '/oauth/userinfo', { access_token }, headers)).statusCode, 400)
  })

  test('a disabled user gets no tokens, userinfo or authorization, and introspection shows their tokens as inactive', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    const tokens = await getTokens(app(), person, application)
    const pkce = newPkce()
    const code = await getCode(person, application, pkce)
    const { db, now } = app().services
    const disable = (at: number | null) =>
      db.transaction((trx) =>
        trx.updateTable('users').set({ disabled_at: at }).where('id', '=', person.user.id).execute(),
      )
    await disable(now())
    for (const answer of [
      await refresh(app(), application, tokens.refresh_token),
      await exchangeCode(app(), application, code, pkce),
    ])
      assert.deepEqual([answer.statusCode, answer.json<{ error: string }>().error], [400, 'invalid_grant'])
    assert.equal((await userinfo(app(), tokens.access_token)).statusCode, 401)
    for (const token of [tokens.access_token, tokens.refresh_token])
      assert.equal((await introspect(app(), application, token)).body, '{"active":false}')
    assert.equal(locationOf(await person.get(authorizeUrl(application, pkce))).pathname, '/login')
    await disable(null)
    assert.equal(await isLive(app(), application, tokens.access_token), true)
  })

  test('disabling a user revokes all their tokens for good, counts the application once, and keeps the consent', async () => {
    const application = await registerApplication(app())
    const [person, other] = [await signedInPerson(app()), await signedInPerson(app())]
    const tokens = await getTokens(app(), person, application)
    const pkce = newPkce()
    const code = await getCode(person, application, pkce)
    const others = await getTokens(app(), other, application)
    const { db, now } = app().services
    const revokeAll = () => db.transaction((trx) => revokeTokensOfUsers(trx, [person.user.id], now()))
    assert.deepEqual(await revokeAll(), new Map([[person.user.id, 1]]))
    assert.deepEqual(await revokeAll(), new Map())
    assert.equal(await isLive(app(), application, tokens.access_token), false)
    assert.equal((await refresh(app(), application, tokens.refresh_token)).statusCode, 400)
    assert.equal((await exchangeCode(app(), application, code, pkce)).statusCode, 400)
    assert.equal(await isLive(app(), application, others.access_token), true)
    assert.match(locationOf(await person.get(authorizeUrl(application, pkce))).searchParams.get('code') ?? '', /^ac_/)
  })

  test('tokens that seem expired because the clock is ahead are revoked too', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    const tokens = await getTokens(app(), person, application)
    const ahead = app().services.now() + 400 * 24 * 3_600_000
    const revokeAll = await app().services.db.transaction((trx) => revokeTokensOfUsers(trx, [person.user.id], ahead))
    assert.deepEqual(revokeAll, new Map())
    assert.equal(await isLive(app(), application, tokens.access_token), false)
    assert.equal((await refresh(app(), application, tokens.refresh_token)).statusCode, 400)
  })

  test('a deleted user leaves no token behind', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    const tokens = await getTokens(app(), person, application)
    await app().services.db.transaction((trx) => trx.deleteFrom('users').where('id', '=', person.user.id).execute())
    for (const token of [tokens.access_token, tokens.refresh_token])
      assert.equal(await isLive(app(), application, token), false)
    assert.equal((await userinfo(app(), tokens.access_token)).statusCode, 401)
    assert.equal((await refresh(app(), application, tokens.refresh_token)).statusCode, 400)
  })
})
