import { addressOf, CODE_AND_REFRESH, type Entry, NOT_IN_A_REGISTRY } from '../entry.ts'

export const outline: Entry = {
  id: 'outline',
  name: 'Outline',
  family: 'Office',
  questions: [addressOf('Outline', 'https://wiki.example.com')],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/auth/oidc.callback'],
    postLogoutRedirectUris: ['{{address}}'],
    scopes: ['openid', 'profile', 'email', 'offline_access'],
    grantTypes: CODE_AND_REFRESH,
    launchUrl: '{{address}}/auth/oidc',
  },
  why: { scopes: 'With a refresh token Outline notices when access has ended.' },
  snippets: [
    {
      title: '.env',
      format: 'env',
      text: `URL={{address}}
OIDC_CLIENT_ID={{client_id}}
OIDC_CLIENT_SECRET={{client_secret}}
OIDC_ISSUER_URL={{issuer}}
OIDC_USERNAME_CLAIM=preferred_username
OIDC_DISPLAY_NAME=Latchkey
OIDC_SCOPES=openid profile email offline_access`,
    },
  ],
  notes: [
    'Set OIDC_ISSUER_URL, and not the single endpoints: only with the discovery document does Outline use PKCE.',
    'Outline needs a name or a username, and an email address; it reads them from userinfo.',
  ],
  limits: 'Versions without OIDC_ISSUER_URL send neither PKCE nor a nonce and are refused, also with optional PKCE.',
  unconfirmed:
    'That Outline takes PKCE from the discovery document: its parts were read, not the line that connects them.',
  source: 'https://github.com/outline/outline/tree/main/plugins/oidc/server',
  lookedUpOn: '2026-11-17',
  tried: NOT_IN_A_REGISTRY,
}
