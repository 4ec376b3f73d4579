import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { ORIGIN, sharedApp } from '../../support/app.ts'
import {
  authorize,
  authorizeUrl,
  basic,
  claimsOf,
  exchangeCode,
  getCode,
  getTokens,
  introspect,
  locationOf,
  newPkce,
  postForm,
  registerApplication,
  type Tokens,
  userinfo,
} from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

onMainEngine('the authorization code flow', (engine) => {
  const app = sharedApp({ engine })

  for (const method of ['client_secret_basic', 'client_secret_post'] as const) {
    test(`gives tokens to a client that authenticates by ${method}`, async () => {
      const application = await registerApplication(app())
      const person = await signedInPerson(app())
      const pkce = newPkce()
      const code = await getCode(person, application, pkce, { scope: 'openid offline_access', nonce: 'n-1' })
      assert.match(code, /^ac_[\w-]{43}$/)

      const answer =
        method === 'client_secret_post'
          ? await exchangeCode(app(), application, code, pkce)
          : await postForm(
              app(),
              '/oauth/token',
              {
                grant_type: 'authorization_code',
                code,
                redirect_uri: application.redirectUri,
                code_verifier: pkce.verifier,
              },
              { authorization: basic(application) },
            )
      assert.equal(answer.statusCode, 200, answer.body)
      assert.equal(answer.headers['cache-control'], 'no-store')
      assert.match(answer.headers['content-type'] as string, /^application\/json/)
      const tokens = answer.json<Tokens>()
      assert.deepEqual(Object.keys(tokens).toSorted(), [
        'access_token',
        'expires_in',
        'id_token',
        'refresh_token',
        'scope',
        'token_type',
      ])
      assert.match(tokens.access_token, /^at_[\w-]{43}$/)
      assert.match(tokens.refresh_token, /^rt_[\w-]{43}$/)
      assert.equal(tokens.token_type, 'Bearer')
      assert.equal(tokens.expires_in, 3600)
      assert.equal(tokens.scope, 'openid offline_access')
    })
  }

  test('gives tokens to a public client with PKCE and without a secret', async () => {
    const application = await registerApplication(app(), { clientType: 'public' })
    const tokens = await getTokens(app(), await signedInPerson(app()), application)
    assert.match(tokens.access_token, /^at_/)
  })

  test('gives no refresh token without offline_access, nor to a client without the refresh token grant', async () => {
    const person = await signedInPerson(app())
    const all = await registerApplication(app())
    assert.equal('refresh_token' in (await getTokens(app(), person, all, { scope: 'openid' })), false)
    const codesOnly = await registerApplication(app(), { grantTypes: ['authorization_code'] })
    assert.equal('refresh_token' in (await getTokens(app(), person, codesOnly)), false)
  })

  test('gives no ID token without openid', async () => {
    const application = await registerApplication(app(), { scopes: ['openid', 'reports'] })
    const tokens = await getTokens(app(), await signedInPerson(app()), application, { scope: 'reports' })
    assert.equal('id_token' in tokens, false)
    assert.equal(tokens.scope, 'reports')
  })

  test('the ID token is an ES256 JWS that the published key verifies, with the claims of the specification', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    const { id_token: idToken, access_token: accessToken } = await getTokens(app(), person, application, {
      nonce: 'a nonce',
    })
    const keys = createLocalJWKSet((await person.get('/.well-known/jwks.json')).json())
    const now = app().clock.now()
    const { payload, protectedHeader } = await jwtVerify(idToken, keys, { currentDate: new Date(now) })
    assert.deepEqual(protectedHeader, { alg: 'ES256', typ: 'JWT', kid: 'service-id-1' })
    const seconds = Math.floor(now / 1000)
    assert.deepEqual(
      { ...payload, at_hash: undefined },
      {
        iss: ORIGIN,
        sub: person.user.id,
        aud: application.clientId,
        iat: seconds,
        exp: seconds + 3600,
        nonce: 'a nonce',
        auth_time: seconds,
        acr: '1',
        amr: ['pwd'],
        at_hash: undefined,
      },
    )
    assert.match(person.user.id, /^usr_/)
    assert.equal(Buffer.from(idToken.split('.')[2] ?? '', 'base64url').length, 64)
    const leftHalf = createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url')
    assert.equal(payload['at_hash'], leftHalf)
  })

  test('the ID token has no nonce when none was sent', async () => {
    const tokens = await getTokens(app(), await signedInPerson(app()), await registerApplication(app()))
    assert.equal('nonce' in claimsOf(tokens.id_token), false)
  })

  test('authorize returns state unchanged and names the issuer', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    for (const state of ['"><script>alert(1)</script>', 'a\r\nSet-Cookie: x=1', 'x'.repeat(8192), 'é + & = %20']) {
      const url = await authorize(person, application, newPkce(), { state })
      assert.equal(url.origin + url.pathname, application.redirectUri)
      assert.equal(url.searchParams.get('state'), state)
      assert.equal(url.searchParams.get('iss'), ORIGIN)
    }
    const without = await authorize(person, application, newPkce(), { state: undefined })
    assert.equal(without.searchParams.has('state'), false)
  })

  test('authorize accepts a form like a query', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    await authorize(person, application, newPkce())
    const [path = '', query = ''] = authorizeUrl(application, newPkce()).split('?')
    const answer = await postForm(app(), path, query, { cookie: `session=${person.cookie}` })
    assert.equal(answer.statusCode, 302)
    assert.match(locationOf(answer).searchParams.get('code') ?? '', /^ac_/)
  })

  test('a form of another site, which arrives without the cookie, is redirected to a GET request', async () => {
    const application = await registerApplication(app())
    const [path = '', query = ''] = authorizeUrl(application, newPkce(), { prompt: 'none' }).split('?')
    const answer = await postForm(app(), path, query, { 'sec-fetch-site': 'cross-site', origin: 'https://app.example' })
    assert.equal(answer.statusCode, 303)
    assert.equal(answer.headers.location, `${path}?${query}`)
  })

  test('userinfo returns claims by scope, by GET and by POST, with the sub of the ID token', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app(), { email: `claims-${engine}@example.com` })
    await app().services.db.transaction((trx) =>
      trx
        .updateTable('users')
        .set({ given_name: 'Ada', family_name: 'Lovelace', avatar_version: 'v1' })
        .where('id', '=', person.user.id)
        .execute(),
    )
    const expected = {
      openid: { sub: person.user.id },
      'openid email': { sub: person.user.id, email: person.user.email, email_verified: false },
      'openid profile': {
        sub: person.user.id,
        name: 'Ada Lovelace',
        given_name: 'Ada',
        family_name: 'Lovelace',
        preferred_username: person.user.preferredUsername,
        picture: `${ORIGIN}/api/account/profile/avatar?user=${person.user.id}&v=v1`,
      },
    }
    for (const [scope, claims] of Object.entries(expected)) {
      const tokens = await getTokens(app(), person, application, { scope })
      const answer = await userinfo(app(), tokens.access_token)
      assert.equal(answer.statusCode, 200)
      assert.match(answer.headers['content-type'] as string, /^application\/json/)
      assert.deepEqual(answer.json(), claims)
      assert.equal(claimsOf(tokens.id_token)['sub'], person.user.id)
      assert.deepEqual(
        Object.keys(claimsOf(tokens.id_token)).filter((name) => /name|email/.test(name)),
        [],
      )
      const headers = { authorization: `Bearer ${tokens.access_token}` }
      assert.deepEqual((await app().app.inject({ method: 'POST', url: '/oauth/userinfo', headers })).json(), claims)
      const form = await postForm(app(), '/oauth/userinfo', { access_token: tokens.access_token })
      assert.deepEqual(form.json(), claims)
    }
  })

  test('introspection returns the scope, client, user and times of a live token', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    const tokens = await getTokens(app(), person, application)
    const seconds = Math.floor(app().clock.now() / 1000)
    const common = {
      active: true,
      scope: 'openid offline_access',
      client_id: application.clientId,
      username: person.user.preferredUsername,
      iat: seconds,
      sub: person.user.id,
      aud: application.clientId,
      iss: ORIGIN,
      acr: '1',
      auth_time: seconds,
    }
    assert.deepEqual((await introspect(app(), application, tokens.access_token)).json(), {
      ...common,
      token_type: 'Bearer',
      exp: seconds + 3600,
    })
    assert.deepEqual((await introspect(app(), application, tokens.refresh_token)).json(), {
      ...common,
      exp: seconds + 30 * 86400,
    })
  })
})
