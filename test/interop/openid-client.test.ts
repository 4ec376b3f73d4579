import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as client from 'openid-client'
import { registerApplication } from '../support/application.ts'
import { onMainEngine } from '../support/engines.ts'
import { browser, realProvider } from './provider.ts'

const CALLBACK = 'https://app.example/cb'
const AFTER_LOGOUT = 'https://app.example/bye'

onMainEngine('openid-client', (engine) => {
  const provider = realProvider(engine)

  const methods: [string, 'confidential' | 'public', (secret?: string) => client.ClientAuth][] = [
    ['client_secret_post', 'confidential', client.ClientSecretPost],
    ['client_secret_basic', 'confidential', client.ClientSecretBasic],
    ['none', 'public', client.None],
  ]
  for (const [name, clientType, authentication] of methods) {
    test(`signs in with PKCE by ${name}, then fetches the user info, refreshes, introspects, revokes and logs out`, async () => {
      const { app, issuer } = provider()
      const application = await registerApplication(app, {
        clientType,
        redirectUris: [CALLBACK],
        postLogoutRedirectUris: [AFTER_LOGOUT],
      })
      const config = await client.discovery(
        new URL(issuer),
        application.clientId,
        undefined,
        authentication(application.secret),
        { execute: [client.allowInsecureRequests] },
      )
      const verifier = client.randomPKCECodeVerifier()
      const [nonce, state] = [client.randomNonce(), client.randomState()]
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: CALLBACK,
        scope: 'openid profile email offline_access',
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        nonce,
        state,
        max_age: '3600',
      })
      const person = await browser(provider())
      const tokens = await client.authorizationCodeGrant(config, await person.go(url), {
        pkceCodeVerifier: verifier,
        expectedNonce: nonce,
        expectedState: state,
        maxAge: 3600,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      assert.equal(claims?.sub, person.user.id)
      assert.equal(tokens.expires_in, 3600)

      const info = await client.fetchUserInfo(config, tokens.access_token, person.user.id)
      assert.equal(info.email, person.user.email)

      const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
      assert.equal(refreshed.claims()?.auth_time, claims.auth_time)
      assert.notEqual(refreshed.access_token, tokens.access_token)

      const live = await client.tokenIntrospection(config, refreshed.access_token)
      assert.equal(live.active, true)
      assert.equal(live.sub, person.user.id)

      await client.tokenRevocation(config, refreshed.refresh_token ?? '')
      assert.equal((await client.tokenIntrospection(config, refreshed.access_token)).active, false)
      await assert.rejects(client.refreshTokenGrant(config, refreshed.refresh_token ?? ''), { error: 'invalid_grant' })

      const end = client.buildEndSessionUrl(config, {
        id_token_hint: tokens.id_token ?? '',
        post_logout_redirect_uri: AFTER_LOGOUT,
        state: 'bye',
      })
      assert.equal((await person.go(end)).href, `${AFTER_LOGOUT}?state=bye`)
      assert.equal((await person.go(url)).pathname, '/login')
    })
  }

  test('gets tokens for itself with client credentials', async () => {
    const { app, issuer } = provider()
    const application = await registerApplication(app, { scopes: ['reports'], grantTypes: ['client_credentials'] })
    const config = await client.discovery(new URL(issuer), application.clientId, application.secret, undefined, {
      execute: [client.allowInsecureRequests],
      algorithm: 'oauth2',
    })
    const tokens = await client.clientCredentialsGrant(config, { scope: 'reports' })
    assert.equal(tokens.scope, 'reports')
    assert.equal(tokens.refresh_token, undefined)
    await assert.rejects(client.clientCredentialsGrant(config, { scope: 'more' }), { error: 'invalid_scope' })
  })

  test('recognizes refusals as OAuth errors', async () => {
    const { app, issuer } = provider()
    const application = await registerApplication(app)
    const config = await client.discovery(new URL(issuer), application.clientId, 'wrong', undefined, {
      execute: [client.allowInsecureRequests],
    })
    await assert.rejects(client.clientCredentialsGrant(config), { error: 'invalid_client', status: 401 })
    const person = await browser(provider())
    const url = client.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, scope: 'openid', state: 's' })
    const back = await person.go(url)
    await assert.rejects(client.authorizationCodeGrant(config, back, { expectedState: 's' }), {
      error: 'invalid_request',
    })
  })
})
