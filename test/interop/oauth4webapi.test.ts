import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as oauth from 'oauth4webapi'
import { registerApplication } from '../support/application.ts'
import { onMainEngine } from '../support/engines.ts'
import { browser, realProvider } from './provider.ts'

const CALLBACK = 'https://app.example/cb'
const insecure = { [oauth.allowInsecureRequests]: true }

onMainEngine('oauth4webapi', (engine) => {
  const provider = realProvider(engine)

  for (const algorithm of ['oidc', 'oauth2'] as const) {
    test(`works with ${algorithm} discovery, and its strict validation accepts every answer`, async () => {
      const { app, issuer } = provider()
      const application = await registerApplication(app, { redirectUris: [CALLBACK] })
      const url = new URL(issuer)
      const discovered = await oauth.discoveryRequest(url, { algorithm, ...insecure })
      const server = await oauth.processDiscoveryResponse(url, discovered)
      const client: oauth.Client = { client_id: application.clientId }
      const authentication = oauth.ClientSecretBasic(application.secret ?? '')
      const verifier = oauth.generateRandomCodeVerifier()
      const [nonce, state] = [oauth.generateRandomNonce(), oauth.generateRandomState()]

      const authorizationUrl = new URL(server.authorization_endpoint ?? '')
      authorizationUrl.search = new URLSearchParams({
        client_id: client.client_id,
        redirect_uri: CALLBACK,
        response_type: 'code',
        scope: 'openid email offline_access',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        nonce,
        state,
      }).toString()
      const person = await browser(provider())
      // Requires the iss parameter of RFC 9207, because the metadata announces it.
      const parameters = oauth.validateAuthResponse(server, client, await person.go(authorizationUrl), state)
      const tokens = await oauth.processAuthorizationCodeResponse(
        server,
        client,
        await oauth.authorizationCodeGrantRequest(
          server,
          client,
          authentication,
          parameters,
          CALLBACK,
          verifier,
          insecure,
        ),
        { expectedNonce: nonce, requireIdToken: true },
      )
      assert.equal(oauth.getValidatedIdTokenClaims(tokens)?.sub, person.user.id)

      const info = await oauth.processUserInfoResponse(
        server,
        client,
        person.user.id,
        await oauth.userInfoRequest(server, client, tokens.access_token, insecure),
      )
      assert.equal(info.email, person.user.email)

      const refreshed = await oauth.processRefreshTokenResponse(
        server,
        client,
        await oauth.refreshTokenGrantRequest(server, client, authentication, tokens.refresh_token ?? '', insecure),
      )
      const introspection = await oauth.processIntrospectionResponse(
        server,
        client,
        await oauth.introspectionRequest(server, client, authentication, refreshed.access_token, insecure),
      )
      assert.equal(introspection.active, true)
      await oauth.processRevocationResponse(
        await oauth.revocationRequest(server, client, authentication, refreshed.access_token, insecure),
      )
      const refused = await oauth.userInfoRequest(server, client, refreshed.access_token, insecure)
      await assert.rejects(
        oauth.processUserInfoResponse(server, client, person.user.id, refused),
        oauth.WWWAuthenticateChallengeError,
      )
    })
  }
})
