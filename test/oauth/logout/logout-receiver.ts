import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import type { TestApp } from '../../support/app.ts'
import { anonymous } from '../../support/people.ts'
import { until } from '../../support/replicas.ts'

export const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

interface Request {
  method: string | undefined
  contentType: string | undefined
  body: URLSearchParams
}

/** An application that takes logout tokens at 127.0.0.1. */
export interface LogoutReceiver {
  uri: string
  requests: Request[]
  /** The next answers; then 200. */
  answers: number[]
  /** Waits for so many requests, and returns the logout token of the last. */
  token(count: number): Promise<string>
  close(): Promise<void>
}

export async function startLogoutReceiver(): Promise<LogoutReceiver> {
  const requests: Request[] = []
  const answers: number[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method, headers } = request
      requests.push({ method, contentType: headers['content-type'], body: new URLSearchParams(body) })
      response.writeHead(answers.shift() ?? 200).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/logout`,
    requests,
    answers,
    async token(count) {
      await until(async () => requests.length >= count, 5000)
      assert.equal(requests.length, count)
      const { method, contentType, body } = requests.at(-1) as Request
      assert.deepEqual([method, contentType], ['POST', 'application/x-www-form-urlencoded'])
      assert.deepEqual([...body.keys()], ['logout_token'])
      return body.get('logout_token') ?? ''
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** What an application does with a logout token: OpenID Connect Back-Channel Logout 1.0 section 2.6. */
export async function verifyLogoutToken(
  app: TestApp,
  { clientId }: { clientId: string },
  token: string,
  alg = 'ES256',
): Promise<JWTPayload> {
  const keys = (await anonymous(app).get('/.well-known/jwks.json')).json<JSONWebKeySet>()
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
    issuer: app.services.config.baseUrl,
    audience: clientId,
    typ: 'logout+jwt',
    algorithms: [alg],
    requiredClaims: ['iat', 'exp', 'jti', 'events', 'sub'],
    currentDate: new Date(app.clock.now()),
  })
  assert.deepEqual(payload['events'], { [LOGOUT_EVENT]: {} })
  assert.ok(!('nonce' in payload))
  assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 120)
  return payload
}
