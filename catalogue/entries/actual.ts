import { addressOf, CODE, type Entry } from '../entry.ts'

export const actual: Entry = {
  id: 'actual',
  name: 'Actual',
  family: 'Office',
  questions: [addressOf('Actual', 'https://budget.example.com')],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/openid/callback'],
    scopes: ['openid', 'profile', 'email'],
    grantTypes: CODE,
    id_token_signed_response_alg: 'RS256',
    launchUrl: '{{address}}/',
  },
  why: {
    grantTypes: 'Actual asks once, at sign-in, and needs no refresh token.',
    id_token_signed_response_alg: 'Actual uses openid-client 5, which expects RS256, and has no setting for it.',
  },
  snippets: [
    {
      title: 'config.json',
      format: 'json',
      text: `{
  "openId": {
    "discoveryURL": "{{issuer}}",
    "client_id": "{{client_id}}",
    "client_secret": "{{client_secret}}",
    "server_hostname": "{{address}}",
    "authMethod": "openid"
  }
}`,
    },
  ],
  notes: ['Actual sends PKCE.', 'The first person who signs in becomes the administrator of the server.'],
  source: 'https://actualbudget.org/docs/config/oauth-auth',
  lookedUpOn: '2026-11-17',
  tried: {
    not: 'The npm package needs better-sqlite3, which downloads a binary from GitHub or compiles one when it is installed. Its library, openid-client 5, is run in test/third-party/openid-client-5.test.ts.',
    settings: 'from its documentation',
  },
}
