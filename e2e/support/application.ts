import { once } from 'node:events'
import { createServer } from 'node:http'
import * as openid from 'openid-client'

export type Application = {
  redirectUri: string
  /** The URL that the application redirects a browser to for the sign-in. */
  start: (client: {
    issuer: string
    clientId: string
    clientSecret: string
    prompt?: string
    scope?: string
  }) => Promise<string>
  /** The userinfo of the user who signed in last. */
  userinfo: () => Promise<openid.UserInfoResponse>
  refresh: () => Promise<unknown>
  stop: () => Promise<void>
}

/** A web application that uses a certified OpenID Connect library. */
export async function startApplication(): Promise<Application> {
  let config: openid.Configuration
  let checks: { pkceCodeVerifier: string; expectedState: string; expectedNonce: string }
  let tokens: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', redirectUri)
    const finish = (text: string) => response.setHeader('content-type', 'text/html').end(`<h1>${text}</h1>`)
    if (url.searchParams.has('error')) return finish(`Refused: ${url.searchParams.get('error') ?? ''}`)
    openid.authorizationCodeGrant(config, url, checks).then(
      (granted) => {
        tokens = granted
        finish('Signed in')
      },
      (error: unknown) => finish(`Failed: ${String(error)}`),
    )
    return undefined
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The application has no port.')
  const redirectUri = `http://127.0.0.1:${address.port}/callback`

  return {
    redirectUri,
    async start({ issuer, clientId, clientSecret, prompt, scope = 'openid profile email offline_access' }) {
      config = await openid.discovery(new URL(issuer), clientId, clientSecret, undefined, {
        execute: [openid.allowInsecureRequests],
      })
      checks = {
        pkceCodeVerifier: openid.randomPKCECodeVerifier(),
        expectedState: openid.randomState(),
        expectedNonce: openid.randomNonce(),
      }
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope,
        code_challenge: await openid.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: checks.expectedState,
        nonce: checks.expectedNonce,
        ...(prompt ? { prompt } : {}),
      })
      return url.href
    },
    userinfo: () => openid.fetchUserInfo(config, tokens.access_token, tokens.claims()?.sub ?? ''),
    refresh: () => openid.refreshTokenGrant(config, tokens.refresh_token ?? ''),
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
