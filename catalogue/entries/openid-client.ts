import { addressOf, CODE_AND_REFRESH, type Entry } from '../entry.ts'

export const openidClient: Entry = {
  id: 'openid-client',
  name: 'openid-client',
  family: 'Libraries',
  questions: [addressOf('the application', 'https://app.example.com')],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/callback'],
    postLogoutRedirectUris: ['{{address}}/'],
    scopes: ['openid', 'profile', 'email', 'groups', 'offline_access'],
    grantTypes: CODE_AND_REFRESH,
    launchUrl: '{{address}}/',
  },
  why: {},
  snippets: [
    {
      title: 'openid-client 6',
      format: 'javascript',
      text: `import * as client from 'openid-client'

const config = await client.discovery(new URL('{{issuer}}'), '{{client_id}}', process.env.CLIENT_SECRET)`,
    },
    {
      title: 'openid-client 5',
      format: 'javascript',
      text: `import { Issuer } from 'openid-client'

const { Client } = await Issuer.discover('{{issuer}}')
const client = new Client({
  client_id: '{{client_id}}',
  client_secret: process.env.CLIENT_SECRET,
  redirect_uris: ['{{address}}/callback'],
  id_token_signed_response_alg: 'ES256',
})`,
    },
    { title: 'Environment', format: 'env', text: `CLIENT_SECRET={{client_secret}}` },
  ],
  notes: [
    'Version 5 expects RS256 unless told otherwise. Where it is inside another program that has no setting for it, set the client to RS256.',
  ],
  source: 'https://github.com/panva/openid-client',
  lookedUpOn: '2026-11-17',
  tried: { test: 'test/interop/openid-client.test.ts and test/third-party/openid-client-5.test.ts' },
}
