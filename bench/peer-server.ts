import { generateKeyPairSync } from 'node:crypto'
import { Provider } from 'oidc-provider'
import { type Fixture, ISSUER, SCOPES } from './fixture.ts'
import { adapterOf } from './peer-adapters.ts'

/**
 * oidc-provider, configured like Latchkey and at the same paths: opaque tokens, ES256, PKCE, rotation. Sessions and grants
 * are created at the start, so that its sign-in pages are not needed.
 *
 *   node bench/peer-server.ts <port> <database file, or memory> <fixture as JSON>
 */
const [, , port = '0', storage = 'memory', text = '{}'] = process.argv
const { clientId, clientSecret, redirectUri, people } = JSON.parse(text) as Fixture
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const DAY_SECONDS = 86_400

const grantOf = (accountId: string) => `grant-${accountId}`

interface Context {
  oidc: { session: { accountId: string } }
}

const provider = new Provider(ISSUER, {
  adapter: adapterOf(storage),
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'peer', alg: 'ES256', use: 'sig' }] },
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      response_types: ['code'],
      id_token_signed_response_alg: 'ES256',
      scope: SCOPES.join(' '),
    },
  ],
  scopes: SCOPES,
  claims: {
    profile: ['name', 'given_name', 'family_name', 'preferred_username', 'picture'],
    email: ['email', 'email_verified'],
  },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    introspection: { enabled: true, allowedPolicy: () => true },
    revocation: { enabled: true, allowedPolicy: () => true },
  },
  routes: {
    authorization: '/oauth/authorize',
    token: '/oauth/token',
    introspection: '/oauth/introspect',
    userinfo: '/oauth/userinfo',
    jwks: '/.well-known/jwks.json',
  },
  cookies: { names: { session: 'session' }, keys: [] },
  ttl: {
    AccessToken: 3600,
    AuthorizationCode: 600,
    ClientCredentials: 3600,
    Grant: DAY_SECONDS,
    IdToken: 3600,
    RefreshToken: DAY_SECONDS,
    Session: DAY_SECONDS,
  },
  rotateRefreshToken: true,
  issueRefreshToken: () => true,
  expiresWithSession: () => false,
  loadExistingGrant: ({ oidc }: Context) => provider.Grant.find(grantOf(oidc.session.accountId)),
  findAccount: (_context: unknown, id: string) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      name: 'Ada Example',
      given_name: 'Ada',
      family_name: 'Example',
      preferred_username: 'ada',
      email: 'ada@example.com',
      email_verified: false,
    }),
  }),
})

const loginTs = Math.floor(Date.now() / 1000)
for (const { id, session } of people) {
  const grant = new provider.Grant({ accountId: id, clientId, jti: grantOf(id) })
  grant.addOIDCScope(SCOPES.join(' '))
  await grant.save(DAY_SECONDS)
  await new provider.Session({ jti: session, uid: `uid-${id}`, accountId: id, loginTs, amr: ['pwd'] }).save(DAY_SECONDS)
}
provider.on('server_error', (_context, error) => void process.stderr.write(`${error.stack}\n`))
// The same as Fastify's.
provider.listen(Number(port), '127.0.0.1').keepAliveTimeout = 72_000
