import { addressOf, CODE, type Entry, NOT_IN_A_REGISTRY } from '../entry.ts'

export const homeAssistant: Entry = {
  id: 'home-assistant',
  name: 'Home Assistant (hass-oidc-auth)',
  family: 'Home',
  questions: [
    addressOf('Home Assistant', 'https://home.example.com'),
    { name: 'admins', kind: 'group', label: 'Role whose members administer Home Assistant', example: 'home-admins' },
  ],
  client: {
    clientType: 'public',
    redirectUris: ['{{address}}/auth/oidc/callback'],
    scopes: ['openid', 'profile', 'groups'],
    grantTypes: CODE,
    idTokenClaims: 'full',
    launchUrl: '{{address}}/',
  },
  why: {
    clientType: 'The integration is made for a public client with PKCE, so that no secret is in its files.',
    grantTypes: 'It asks once, at sign-in, and needs no refresh token.',
    idTokenClaims: 'It reads the name and the groups from the token.',
  },
  snippets: [
    {
      title: 'configuration.yaml',
      format: 'yaml',
      text: `auth_oidc:
  client_id: "{{client_id}}"
  discovery_url: "{{issuer}}/.well-known/openid-configuration"
  display_name: "Latchkey"
  id_token_signing_alg: "ES256"
  roles:
    admin: "{{admins}}"`,
    },
  ],
  notes: [
    'Home Assistant has no OpenID Connect of its own; this is an integration by its community.',
    'It expects RS256 unless id_token_signing_alg is set.',
  ],
  unconfirmed: 'Whether it also asks userinfo for the groups.',
  source: 'https://github.com/christiaangoossens/hass-oidc-auth/blob/main/docs/configuration.md',
  lookedUpOn: '2026-11-17',
  tried: NOT_IN_A_REGISTRY,
}
