import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import {
  claimsOf,
  credentials,
  getTokens,
  isLive,
  postForm,
  refresh,
  registerApplication,
  type Tokens,
  userinfo,
} from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

const DAY = 86_400_000

onMainEngine('refresh tokens', (engine) => {
  const app = sharedApp({ engine })

  test('a refresh returns a new access token, refresh token and ID token of the same sign-in', async () => {
    const application = await registerApplication(app())
    const first = await getTokens(app(), await signedInPerson(app()), application, { nonce: 'n' })
    app().clock.advance(60_000)
    const answer = await refresh(app(), application, first.refresh_token)
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.headers['cache-control'], 'no-store')
    const second = answer.json<Tokens>()
    assert.deepEqual([second.token_type, second.expires_in, second.scope], ['Bearer', 3600, 'openid offline_access'])
    for (const name of ['access_token', 'refresh_token', 'id_token'] as const)
      assert.notEqual(second[name], first[name])
    const [before, after] = [claimsOf(first.id_token), claimsOf(second.id_token)]
    for (const name of ['iss', 'sub', 'aud', 'auth_time', 'acr']) assert.equal(after[name], before[name], name)
    assert.deepEqual(after['amr'], before['amr'])
    assert.equal(after['iat'], (before['iat'] as number) + 60)
    assert.equal('nonce' in after, false)
    assert.equal((await userinfo(app(), second.access_token)).statusCode, 200)
    assert.equal((await userinfo(app(), first.access_token)).statusCode, 200)
  })

  test('a refresh may request fewer scopes, the next one all of them again, and none may request more', async () => {
    const application = await registerApplication(app())
    const first = await getTokens(app(), await signedInPerson(app()), application, {
      scope: 'openid email offline_access',
    })
    const narrow = (await refresh(app(), application, first.refresh_token, { scope: 'email' })).json<Tokens>()
    assert.equal(narrow.scope, 'email')
    assert.equal('id_token' in narrow, false)
    const wider = await refresh(app(), application, narrow.refresh_token, { scope: 'openid profile' })
    assert.equal(wider.json<{ error: string }>().error, 'invalid_scope')
    const all = (await refresh(app(), application, narrow.refresh_token)).json<Tokens>()
    assert.equal(all.scope, 'openid email offline_access')
  })

  test('a refresh token used twice within ten seconds is a retry, and gets a sibling', async () => {
    const application = await registerApplication(app())
    const { refresh_token } = await getTokens(app(), await signedInPerson(app()), application)
    const lost = (await refresh(app(), application, refresh_token)).json<Tokens>()
    app().clock.advance(10_000)
    const retried = await refresh(app(), application, refresh_token)
    assert.equal(retried.statusCode, 200)
    app().clock.advance(60_000)
    for (const token of [lost.refresh_token, retried.json<Tokens>().refresh_token])
      assert.equal(await isLive(app(), application, token), true)
    assert.equal((await refresh(app(), application, retried.json<Tokens>().refresh_token)).statusCode, 200)
  })

  test('a refresh token used again after more than ten seconds revokes the whole family, and is recorded', async () => {
    const application = await registerApplication(app())
    const first = await getTokens(app(), await signedInPerson(app()), application)
    const second = (await refresh(app(), application, first.refresh_token)).json<Tokens>()
    app().clock.advance(10_001)
    const reused = await refresh(app(), application, first.refresh_token)
    assert.deepEqual([reused.statusCode, reused.json<{ error: string }>().error], [400, 'invalid_grant'])
    for (const token of [first.access_token, second.access_token, second.refresh_token])
      assert.equal(await isLive(app(), application, token), false)
    assert.equal((await refresh(app(), application, second.refresh_token)).statusCode, 400)
    const events = await app()
      .services.db.read.selectFrom('audit_events')
      .select('outcome')
      .where('action', '=', 'oauth_refresh_token.reused')
      .where('target_id', '=', application.clientId)
      .execute()
    assert.deepEqual(
      events.map(({ outcome }) => outcome),
      ['refused'],
    )
  })

  test('a refresh token used again after its successor was used revokes the family immediately', async () => {
    const application = await registerApplication(app())
    const first = await getTokens(app(), await signedInPerson(app()), application)
    const second = (await refresh(app(), application, first.refresh_token)).json<Tokens>()
    const third = (await refresh(app(), application, second.refresh_token)).json<Tokens>()
    assert.equal((await refresh(app(), application, first.refresh_token)).statusCode, 400)
    assert.equal(await isLive(app(), application, third.access_token), false)
  })

  test("another client can't use a refresh token, and its attempt does not revoke it", async () => {
    const application = await registerApplication(app())
    const { refresh_token } = await getTokens(app(), await signedInPerson(app()), application)
    for (const clientType of ['confidential', 'public'] as const) {
      const other = await registerApplication(app(), { clientType })
      const answer = await refresh(app(), other, refresh_token)
      assert.equal(answer.json<{ error: string }>().error, 'invalid_grant')
    }
    assert.equal((await refresh(app(), application, refresh_token)).statusCode, 200)
  })

  test('a refresh token is valid for 30 days from its issue', async () => {
    const application = await registerApplication(app())
    const first = await getTokens(app(), await signedInPerson(app()), application)
    app().clock.advance(30 * DAY - 1)
    await app().tick()
    const second = (await refresh(app(), application, first.refresh_token)).json<Tokens>()
    assert.equal(await isLive(app(), application, second.refresh_token), true)
    app().clock.advance(30 * DAY)
    assert.equal(await isLive(app(), application, second.refresh_token), false)
    assert.equal((await refresh(app(), application, second.refresh_token)).statusCode, 400)
  })

  test('an access token is valid for an hour', async () => {
    const application = await registerApplication(app())
    const { access_token } = await getTokens(app(), await signedInPerson(app()), application)
    app().clock.advance(3_599_999)
    assert.equal((await userinfo(app(), access_token)).statusCode, 200)
    app().clock.advance(1)
    assert.equal((await userinfo(app(), access_token)).statusCode, 401)
    assert.equal(await isLive(app(), application, access_token), false)
  })

  test('a scope that the client has lost in the meantime is left out', async () => {
    const application = await registerApplication(app())
    const admin = await signedInPerson(app(), { permissions: ['oauth_clients:write'] })
    const { refresh_token } = await getTokens(app(), admin, application, { scope: 'openid email offline_access' })
    await admin.patch(`/oauth/clients/${application.clientId}`, { scopes: ['openid', 'offline_access'] })
    const answer = (await refresh(app(), application, refresh_token)).json<Tokens>()
    assert.equal(answer.scope, 'openid offline_access')
  })

  test('client credentials give only an access token, for which userinfo answers 403 insufficient_scope', async () => {
    const application = await registerApplication(app(), { scopes: ['openid', 'reports', 'offline_access'] })
    const requestToken = (scope?: string) =>
      postForm(app(), '/oauth/token', { grant_type: 'client_credentials', ...credentials(application), scope })
    const answer = await requestToken('reports openid')
    assert.equal(answer.statusCode, 200)
    const { access_token, ...rest } = answer.json<Tokens>()
    assert.match(access_token, /^at_[\w-]{43}$/)
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: 'reports openid' })
    assert.equal((await requestToken()).json<Tokens>().scope, 'openid reports offline_access')
    assert.equal(await isLive(app(), application, access_token), true)
    const refused = await userinfo(app(), access_token)
    assert.deepEqual([refused.statusCode, refused.json<{ error: string }>().error], [403, 'insufficient_scope'])
    assert.equal(refused.headers['www-authenticate'], 'Bearer error="insufficient_scope", scope="openid"')
    app().clock.advance(3_600_000)
    assert.equal((await userinfo(app(), access_token)).statusCode, 401)
  })

  test('expired tokens and codes are deleted', async () => {
    const application = await registerApplication(app())
    await getTokens(app(), await signedInPerson(app()), application)
    app().clock.advance(32 * DAY)
    await app().tick()
    const { db } = app().services
    for (const table of ['oauth_access_tokens', 'oauth_refresh_tokens', 'oauth_authorization_codes'] as const)
      assert.deepEqual(await db.read.selectFrom(table).selectAll().execute(), [], table)
  })
})
