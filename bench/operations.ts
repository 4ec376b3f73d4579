import { createHash, randomBytes } from 'node:crypto'
import { type Answer, type Connection, expect, get, postForm, postJson, type Step } from './connection.ts'
import { type Fixture, ISSUER } from './fixture.ts'
import { passkeyLogin } from './passkey-login.ts'

export interface Operation {
  name: string
  title: string
  /** How many requests one step makes. */
  requests: number
  /** Makes ready what the steps need, over HTTP and so on every server alike. */
  prepare(connection: Connection, fixture: Fixture, workers: number): Promise<Step>
  /** Set where the limit program does it too: the least share of its speed that is to be reached. */
  limit?: number
  /** Set where the peer does it too: the least multiple of its speed. */
  peer?: number
}

const LIVE_TOKENS = 100

export const OPERATIONS: Operation[] = [
  {
    name: 'discovery',
    title: 'discovery',
    requests: 1,
    limit: 0.6,
    peer: 4,
    prepare: async () => repeat(get('/.well-known/openid-configuration'), '"issuer"'),
  },
  {
    name: 'jwks',
    title: 'JWKS',
    requests: 1,
    limit: 0.8,
    peer: 2.5,
    prepare: async () => repeat(get('/.well-known/jwks.json'), '"keys"'),
  },
  {
    name: 'client-credentials',
    title: 'client credentials',
    requests: 1,
    limit: 0.7,
    peer: 3,
    prepare: async (_connection, fixture) => {
      const fields = { grant_type: 'client_credentials', scope: 'reports' }
      return repeat(postForm('/oauth/token', fields, basic(fixture)), '"access_token"')
    },
  },
  {
    name: 'introspection',
    title: 'introspection, live token',
    requests: 1,
    limit: 0.75,
    peer: 4,
    prepare: async (connection, fixture) => {
      const tokens = await liveTokens(connection, fixture)
      const asked = tokens.map((token) => postForm('/oauth/introspect', { token }, basic(fixture)))
      return inTurn(asked, '"active":true')
    },
  },
  {
    name: 'introspection-unknown',
    title: 'introspection, unknown token',
    requests: 1,
    limit: 0.75,
    peer: 4,
    prepare: async (_connection, fixture) => {
      const asked = Array.from({ length: LIVE_TOKENS }, () =>
        postForm('/oauth/introspect', { token: `at_${randomBytes(32).toString('base64url')}` }, basic(fixture)),
      )
      return inTurn(asked, '"active":false')
    },
  },
  {
    name: 'userinfo',
    title: 'userinfo',
    requests: 1,
    limit: 0.75,
    peer: 4,
    prepare: async (connection, fixture) => {
      const tokens = await liveTokens(connection, fixture)
      const asked = tokens.map((token) => get('/oauth/userinfo', { Authorization: `Bearer ${token}` }))
      return inTurn(asked, '"email"')
    },
  },
  {
    name: 'refresh',
    title: 'refresh with rotation',
    requests: 1,
    limit: 0.7,
    peer: 4,
    prepare: async (connection, fixture, workers) => {
      const held: string[] = []
      for (let at = 0; at < workers; at++) {
        held.push(tokensOf(await signIn(connection, fixture, at, 'openid offline_access')).refresh_token)
      }
      return async (connection, worker) => {
        const fields = { grant_type: 'refresh_token', refresh_token: held[worker] ?? '' }
        const answer = await connection.send(postForm('/oauth/token', fields, basic(fixture)))
        expect(answer, 200, '"id_token"')
        held[worker] = tokensOf(answer).refresh_token
      }
    },
  },
  {
    name: 'code-flow',
    title: 'code flow (authorize, code, token)',
    requests: 2,
    limit: 0.7,
    peer: 4,
    prepare: async (_connection, fixture) => async (connection, worker) => {
      expect(await signIn(connection, fixture, worker, 'openid'), 200, '"id_token"')
    },
  },
  {
    name: 'me',
    title: 'GET /api/auth/me',
    requests: 1,
    limit: 0,
    prepare: async (_connection, { people }) =>
      inTurn(
        people.map(({ session }) => get('/api/auth/me', { Cookie: `session=${session}` })),
        '"user"',
      ),
  },
  {
    name: 'certificates',
    title: 'SSH certificate',
    requests: 1,
    prepare: async (_connection, { people }) =>
      inTurn(
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

const repeat = (request: string, part: string): Step => inTurn([request], part)

/** A worker starts at a place of its own, so that they do not all ask about the same row at once. */
function inTurn(requests: string[], part: string, status = 200): Step {
  const places: number[] = []
  return async (connection, worker) => {
    const place = (places[worker] = (places[worker] ?? worker) + 1)
    expect(await connection.send(requests[place % requests.length] ?? ''), status, part)
  }
}

const basic = ({ clientId, clientSecret }: Fixture) => ({
  Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
})

const tokensOf = ({ body }: Answer) => JSON.parse(body) as { access_token: string; refresh_token: string }

const VERIFIER = randomBytes(32).toString('base64url')
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

/** Authorize with a session, then exchange the code. */
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
