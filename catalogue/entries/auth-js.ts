import { addressOf, CODE, type Entry } from '../entry.ts'

export const authJs: Entry = {
  id: 'auth-js',
  name: 'Auth.js',
  family: 'Libraries',
  questions: [addressOf('the application', 'https://app.example.com')],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/auth/callback/latchkey', '{{address}}/api/auth/callback/latchkey'],
    scopes: ['openid', 'profile', 'email', 'groups'],
    grantTypes: CODE,
    idTokenClaims: 'full',
    launchUrl: '{{address}}/',
  },
  why: {
    redirectUris: 'The second is where Next.js has it.',
    grantTypes: 'Auth.js makes a session of its own, and uses no refresh token unless the application does it itself.',
    idTokenClaims: 'A provider of type oidc is read from the ID token, and userinfo is not asked.',
  },
  snippets: [
    {
      title: 'Auth.js 5 (@auth/express and others)',
      format: 'javascript',
      text: `export const config = {
  providers: [
    {
      id: 'latchkey',
      name: 'Latchkey',
      type: 'oidc',
      issuer: '{{issuer}}',
      clientId: '{{client_id}}',
      clientSecret: process.env.AUTH_LATCHKEY_SECRET,
      authorization: { params: { scope: 'openid profile email groups' } },
    },
  ],
}`,
    },
    {
      title: 'next-auth 4',
      format: 'javascript',
      text: `export const options = {
  providers: [
    {
      id: 'latchkey',
      name: 'Latchkey',
      type: 'oauth',
      wellKnown: '{{issuer}}/.well-known/openid-configuration',
      clientId: '{{client_id}}',
      clientSecret: process.env.LATCHKEY_SECRET,
      authorization: { params: { scope: 'openid profile email groups' } },
      idToken: true,
      checks: ['pkce', 'state', 'nonce'],
      client: { id_token_signed_response_alg: 'ES256' },
      profile: ({ sub, name, email, picture }) => ({ id: sub, name, email, image: picture }),
    },
  ],
}`,
    },
    { title: 'Environment', format: 'env', text: `AUTH_LATCHKEY_SECRET={{client_secret}}` },
  ],
  notes: [
    'next-auth 4 sends no PKCE unless its checks name it, and expects RS256 unless told otherwise.',
    'A session of Auth.js does not end with access here. Ask userinfo with the access token where that matters.',
  ],
  source: 'https://authjs.dev/guides/configuring-oauth-providers',
  lookedUpOn: '2026-11-17',
  tried: { test: 'test/third-party/auth-js.test.ts and test/third-party/next-auth-4.test.ts' },
}
