import { addressOf, CODE, type Entry, NOT_IN_A_REGISTRY } from '../entry.ts'

export const forgejo: Entry = {
  id: 'forgejo',
  name: 'Forgejo',
  family: 'Code',
  questions: [
    addressOf('Forgejo', 'https://git.example.com'),
    { name: 'source', kind: 'word', label: 'Name of the authentication source in Forgejo', example: 'latchkey' },
  ],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/user/oauth2/{{source}}/callback'],
    scopes: ['openid', 'profile', 'email', 'groups'],
    grantTypes: CODE,
    launchUrl: '{{address}}/user/oauth2/{{source}}',
  },
  why: { grantTypes: 'Forgejo asks once, at sign-in, and needs no refresh token.' },
  snippets: [
    {
      title: 'Site administration, Authentication sources, Add',
      format: 'form',
      text: `Authentication type: OAuth2
Authentication name: {{source}}
OAuth2 provider: OpenID Connect
Client ID: {{client_id}}
Client secret: {{client_secret}}
OpenID Connect Auto Discovery URL: {{issuer}}/.well-known/openid-configuration
Additional scopes: openid,profile,email,groups
Claim name providing group names: groups`,
    },
  ],
  notes: [],
  limits: 'Versions before 8.0, which was the first to send PKCE from OpenID Connect sources, are refused.',
  unconfirmed: 'That 8.0 was the first version: the release note for PKCE was found, without its number.',
  source: 'https://codeberg.org/forgejo/forgejo/src/branch/forgejo/release-notes-published/8.0.0.md',
  lookedUpOn: '2026-11-17',
  tried: NOT_IN_A_REGISTRY,
}
