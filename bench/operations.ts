import { createHash, randomBytes } from 'node:crypto'
import { type Answer, type Connection, expect, get, postForm, postJson, type Step } from './connection.ts'
import { deviceFlow } from './device-flow.ts'
import { type Fixture, ISSUER } from './fixture.ts'
import { passkeyLogin } from './passkey-login.ts'
import { siteVisits } from './site-visits.ts'

export interface Operation {
  name: string
  title: string
  /** How many requests one step makes. */
  requests: number
  /** Creates what the steps need, over HTTP, so that it is the same on every server. */
  prepare(connection: Connection, fixture: Fixture, workers: number): Promise<Step>
  /** Whether the peer supports it too. */
  ofPeer?: true
}

const LIVE_TOKENS = 100

export const OPERATIONS: Operation[] = [
  {
    name: 'discovery',
    title: 'discovery',
    requests: 1,
    ofPeer: true,
    prepare: async () => repeat(get('/.well-known/openid-configuration'), '"issuer"'),
  },
  {
    name: 'jwks',
    title: 'JWKS',
    requests: 1,
    ofPeer: true,
    prepare: async () => repeat(get('/.well-known/jwks.json'), '"keys"'),
  },
  {
    name: 'client-credentials',
    title: 'client credentials',
    requests: 1,
    ofPeer: true,
    prepare: async (_connection, fixture) => {
      const fields = { grant_type: 'client_credentials', scope: 'reports' }
      return repeat(postForm('/oauth/token', fields, basic(fixture)), '"access_token"')
    },
  },
  {
    name: 'introspection',
    title: 'introspection, live token',
    requests: 1,
    ofPeer: true,
    prepare: async (connection, fixture) => {
      const tokens = await liveTokens(connection, fixture)
      const requests = tokens.map((token) => postForm('/oauth/introspect', { token }, basic(fixture)))
      return cycleThrough(requests, '"active":true')
    },
  },
  {
    name: 'introspection-unknown',
    title: 'introspection, unknown token',
    requests: 1,
    ofPeer: true,
    prepare: async (_connection, fixture) => {
      const requests = Array.from({ length: LIVE_TOKENS }, () =>
        postForm('/oauth/introspect', { token: `at_${randomBytes(32).toString('base64url')}` }, basic(fixture)),
      )
      return cycleThrough(requests, '"active":false')
    },
  },
  {
    name: 'userinfo',
    title: 'userinfo',
    requests: 1,
    ofPeer: true,
    prepare: async (connection, fixture) => {
      const tokens = await liveTokens(connection, fixture)
      const requests = tokens.map((token) => get('/oauth/userinfo', { Authorization: `Bearer ${token}` }))
      return cycleThrough(requests, '"email"')
    },
  },
  {
    name: 'refresh',
    title: 'refresh with rotation',
    requests: 1,
    ofPeer: true,
    prepare: async (connection, fixture, workers) => {
      const refreshTokens: string[] = []
      for (let at = 0; at < workers; at++) {
        refreshTokens.push(tokensOf(await signIn(connection, fixture, at, 'openid offline_access')).refresh_token)
      }
      return async (connection, worker) => {
        const fields = { grant_type: 'refresh_token', refresh_token: refreshTokens[worker] ?? '' }
        const answer = await connection.send(postForm('/oauth/token', fields, basic(fixture)))
        expect(answer, 200, '"id_token"')
        refreshTokens[worker] = tokensOf(answer).refresh_token
      }
    },
  },
  {
    name: 'code-flow',
    title: 'code flow (authorize, code, token)',
    requests: 2,
    ofPeer: true,
    prepare: async (_connection, fixture) => async (connection, worker) => {
      expect(await signIn(connection, fixture, worker, 'openid'), 200, '"id_token"')
    },
  },
  {
    name: 'device-flow',
    title: 'device flow (begin, approve, token)',
    requests: 3,
    prepare: deviceFlow,
  },
  {
    name: 'me',
    title: 'GET /api/auth/me',
    requests: 1,
    prepare: async (_connection, { people }) =>
      cycleThrough(
        people.map(({ session }) => get('/api/auth/me', { Cookie: `session=${session}` })),
        '"user"',
      ),
  },
  {
    name: 'forward-auth',
    title: 'forward-auth, signed in',
    requests: 1,
    prepare: async (connection, fixture) => cycleThrough(await siteVisits(connection, fixture), ''),
  },
  {
    name: 'certificates',
    title: 'SSH certificate',
    requests: 1,
    prepare: async (_connection, { people }) =>
      cycleThrough(
        people.map(({ session, sshKeyId }) =>
          postJson('/api/ssh/certs/issue', { savedKeyId: sshKeyId }, { Cookie: `session=${session}`, Origin: ISSUER }),
        ),
        '"certificate"',
        201,
      ),
  },
  {
    name: 'passkeys',
    title: 'passkey login (options, verify)',
    requests: 2,
    prepare: passkeyLogin,
  },
  {
    name: 'krl',
    title: 'KRL, from memory',
    requests: 1,
    prepare: async () => repeat(get('/ssh/krl?format=krl'), 'SSHKRL\n\0'),
  },
]

const repeat = (request: string, part: string): Step => cycleThrough([request], part)

/** Each worker starts at another request, so that they do not all read the same row at the same time. */
function cycleThrough(requests: string[], part: string, status = 200): Step {
  const positions: number[] = []
  return async (connection, worker) => {
    const position = (positions[worker] = (positions[worker] ?? worker) + 1)
    expect(await connection.send(requests[position % requests.length] ?? ''), status, part)
  }
}

const basic = ({ clientId, clientSecret }: Fixture) => ({
  Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
})

const tokensOf = ({ body }: Answer) => JSON.parse(body) as { access_token: string; refresh_token: string }

const VERIFIER = randomBytes(32).toString('base64url')
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

/** Sends an authorization request with a session, then exchanges the code. */
async function signIn(connection: Connection, fixture: Fixture, at: number, scope: string): Promise<Answer> {
  const { clientId, redirectUri, people } = fixture
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state: 'a-state',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  })
  const cookie = `session=${people[at % people.length]?.session}`
  const redirect = await connection.send(get(`/oauth/authorize?${query.toString()}`, { Cookie: cookie }))
  const code = /\r\nlocation: [^\r]*[?&]code=([^&\r]+)/i.exec(redirect.head)?.[1]
  if (code === undefined) throw new Error(`There is no code in:\n${redirect.head}\n${redirect.body.slice(0, 500)}`)
  const fields = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: VERIFIER }
  return connection.send(postForm('/oauth/token', fields, basic(fixture)))
}

async function liveTokens(connection: Connection, fixture: Fixture): Promise<string[]> {
  const tokens: string[] = []
  for (let at = 0; at < LIVE_TOKENS; at++) {
    tokens.push(tokensOf(await signIn(connection, fixture, at, 'openid profile email')).access_token)
  }
  return tokens
}
