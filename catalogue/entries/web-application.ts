import { ADDRESS, CODE_AND_REFRESH, type Entry } from '../entry.ts'

export const webApplication: Entry = {
  id: 'web-application',
  name: 'Web application',
  family: 'Generic',
  questions: [
    ADDRESS,
    { name: 'callback', kind: 'word', label: 'Last part of the callback address', example: 'callback' },
  ],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/{{callback}}'],
    postLogoutRedirectUris: ['{{address}}/'],
    scopes: ['openid', 'profile', 'email', 'offline_access'],
    grantTypes: CODE_AND_REFRESH,
    launchUrl: '{{address}}/',
  },
  why: {},
  snippets: [
    {
      title: 'What the application asks for',
      format: 'form',
      text: `Issuer: {{issuer}}
Discovery URL: {{issuer}}/.well-known/openid-configuration
Client ID: {{client_id}}
Client secret: {{client_secret}}
Callback URL: {{address}}/{{callback}}
PKCE: S256
Algorithm of ID tokens: ES256`,
    },
  ],
  notes: [
    'Does it expect RS256, and have no setting for it? Set "Signature of ID tokens" to RS256, under "What it is told".',
    'Does it read names and email addresses from the ID token alone? Set "In the ID token" to "Everything it may know", under "What it is told".',
  ],
  source: 'https://openid.net/specs/openid-connect-core-1_0.html',
  lookedUpOn: '2026-11-17',
  tried: { test: 'test/interop/documented-application.test.ts' },
}
