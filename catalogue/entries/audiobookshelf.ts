import { addressOf, CODE, type Entry, NOT_IN_A_REGISTRY } from '../entry.ts'

export const audiobookshelf: Entry = {
  id: 'audiobookshelf',
  name: 'Audiobookshelf',
  family: 'Media',
  questions: [addressOf('Audiobookshelf', 'https://books.example.com')],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/auth/openid/callback', '{{address}}/auth/openid/mobile-redirect'],
    postLogoutRedirectUris: ['{{address}}/login'],
    scopes: ['openid', 'profile', 'email', 'groups'],
    grantTypes: CODE,
    launchUrl: '{{address}}/login',
  },
  why: {
    redirectUris: 'The second is used by the apps for phones.',
    grantTypes: 'Audiobookshelf asks once, at sign-in, and needs no refresh token.',
  },
  snippets: [
    {
      title: 'Settings, Authentication, OpenID Connect',
      format: 'form',
      text: `Issuer URL: {{issuer}}
Authorize URL: {{issuer}}/oauth/authorize
Token URL: {{issuer}}/oauth/token
Userinfo URL: {{issuer}}/oauth/userinfo
JWKS URL: {{issuer}}/.well-known/jwks.json
Logout URL: {{issuer}}/oauth/logout
Client ID: {{client_id}}
Client secret: {{client_secret}}
Signing algorithm: ES256
Subfolder for redirect URLs: none`,
    },
  ],
  notes: [
    'Choose ES256 as the signing algorithm; the field is filled when the addresses are filled in automatically.',
    'With the group claim "groups", a person needs a role named admin, user or guest.',
  ],
  source: 'https://www.audiobookshelf.org/guides/oidc_authentication/',
  lookedUpOn: '2026-11-17',
  tried: NOT_IN_A_REGISTRY,
}
