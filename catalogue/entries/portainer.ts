import { addressOf, CODE, type Entry, NOT_IN_A_REGISTRY } from '../entry.ts'

export const portainer: Entry = {
  id: 'portainer',
  name: 'Portainer',
  family: 'Infrastructure',
  questions: [addressOf('Portainer', 'https://portainer.example.com')],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}', '{{address}}/'],
    scopes: ['openid', 'profile', 'email', 'groups'],
    grantTypes: CODE,
    launchUrl: '{{address}}/',
  },
  why: {
    redirectUris: 'Portainer is redirected to its own address.',
    grantTypes: 'Portainer asks once, at sign-in, and needs no refresh token.',
  },
  snippets: [
    {
      title: 'Settings, Authentication, OAuth, Custom',
      format: 'form',
      text: `Client ID: {{client_id}}
Client secret: {{client_secret}}
Authorization URL: {{issuer}}/oauth/authorize
Access token URL: {{issuer}}/oauth/token
Resource URL: {{issuer}}/oauth/userinfo
Redirect URL: {{address}}
Logout URL: {{issuer}}/oauth/logout
User identifier: preferred_username
Scopes: openid profile email groups
Auth style: In params`,
    },
  ],
  notes: [],
  limits:
    'Portainer’s published source exchanges the code without a PKCE verifier, and its settings name neither PKCE nor a nonce: a version that sends neither is refused, also with optional PKCE. The refusals of the client show what it sent.',
  source: 'https://docs.portainer.io/admin/settings/authentication/oauth',
  lookedUpOn: '2026-11-17',
  tried: NOT_IN_A_REGISTRY,
}
