import { addressOf, CODE, type Entry, NOT_IN_A_REGISTRY } from '../entry.ts'

export const gitea: Entry = {
  id: 'gitea',
  name: 'Gitea',
  family: 'Code',
  questions: [
    addressOf('Gitea', 'https://git.example.com'),
    { name: 'source', kind: 'word', label: 'Name of the authentication source in Gitea', example: 'latchkey' },
  ],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/user/oauth2/{{source}}/callback'],
    scopes: ['openid', 'profile', 'email', 'groups'],
    grantTypes: CODE,
    launchUrl: '{{address}}/user/oauth2/{{source}}',
  },
  why: { grantTypes: 'Gitea asks once, at sign-in, and needs no refresh token.' },
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
  notes: ['Gitea merges the claims of userinfo into those of the ID token, so these may stay minimal.'],
  limits:
    'Gitea 1.27.3 and earlier send neither PKCE nor a nonce and are refused, also with optional PKCE. Gitea’s source has sent PKCE since mid-2026: use a later version.',
  source: 'https://github.com/go-gitea/gitea/blob/main/services/auth/source/oauth2/pkce.go',
  lookedUpOn: '2026-11-17',
  tried: NOT_IN_A_REGISTRY,
}
