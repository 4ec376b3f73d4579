import { addressOf, CODE, type Entry } from '../entry.ts'

export const expressOpenidConnect: Entry = {
  id: 'express-openid-connect',
  name: 'express-openid-connect',
  family: 'Libraries',
  questions: [addressOf('the application', 'https://app.example.com')],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/callback'],
    postLogoutRedirectUris: ['{{address}}', '{{address}}/'],
    scopes: ['openid', 'profile', 'email', 'groups'],
    grantTypes: CODE,
    idTokenClaims: 'full',
    backchannelLogoutUri: '{{address}}/backchannel-logout',
    launchUrl: '{{address}}/login',
  },
  why: {
    idTokenClaims: 'The library takes what it knows of the user from the ID token.',
    backchannelLogoutUri: 'Once backchannelLogout is set, the library takes logout tokens here.',
  },
  snippets: [
    {
      title: 'Express',
      format: 'javascript',
      text: `import { auth } from 'express-openid-connect'
import { backchannelLogout } from './backchannel-logout.mjs'

app.use(
  auth({
    issuerBaseURL: '{{issuer}}',
    baseURL: '{{address}}',
    clientID: '{{client_id}}',
    clientSecret: process.env.CLIENT_SECRET,
    secret: process.env.SESSION_SECRET,
    authorizationParams: { response_type: 'code', scope: 'openid profile email groups' },
    idTokenSigningAlg: 'ES256',
    idpLogout: true,
    backchannelLogout,
  }),
)`,
    },
    { title: 'Environment', format: 'env', text: `CLIENT_SECRET={{client_secret}}` },
  ],
  notes: [
    'The library expects RS256 unless idTokenSigningAlg is set.',
    'The hooks for backchannelLogout are in docs/telling-applications.md. With “true” instead, a session that had been ended comes back when its person signs in again.',
  ],
  source: 'https://github.com/auth0/express-openid-connect',
  lookedUpOn: '2026-11-19',
  tried: { test: 'test/third-party/express-openid-connect.test.ts' },
}
