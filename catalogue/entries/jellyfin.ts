import { addressOf, CODE, type Entry, NOT_IN_A_REGISTRY } from '../entry.ts'

export const jellyfin: Entry = {
  id: 'jellyfin',
  name: 'Jellyfin (SSO plugin)',
  family: 'Media',
  questions: [
    addressOf('Jellyfin', 'https://media.example.com'),
    { name: 'provider', kind: 'word', label: 'Name of the provider in the plugin', example: 'latchkey' },
    { name: 'members', kind: 'group', label: 'Role whose members may use Jellyfin', example: 'media' },
    { name: 'admins', kind: 'group', label: 'Role whose members administer Jellyfin', example: 'media-admins' },
  ],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/sso/OID/redirect/{{provider}}'],
    scopes: ['openid', 'profile', 'groups'],
    grantTypes: CODE,
    idTokenClaims: 'full',
    launchUrl: '{{address}}/sso/OID/start/{{provider}}',
  },
  why: {
    grantTypes: 'The plugin asks once, at sign-in, and needs no refresh token.',
    idTokenClaims: 'The plugin looks for the role claim among the claims of the ID token.',
  },
  snippets: [
    {
      title: 'Plugins, SSO-Auth',
      format: 'form',
      text: `Name of OpenID provider: {{provider}}
OpenID endpoint: {{issuer}}
OpenID client ID: {{client_id}}
OpenID client secret: {{client_secret}}
Enabled: on
Enable authorization by plugin: on
Roles: {{members}}
Admin roles: {{admins}}
Role claim: groups
Request additional scopes: groups
Disable pushed authorization: on`,
    },
  ],
  notes: [
    'The plugin works in a browser and with Quick Connect, not with the sign-in form of the apps.',
    'Its library always sends PKCE with S256.',
  ],
  unconfirmed: 'Which algorithms its library accepts. If sign-in fails on the signature, set the client to RS256.',
  source: 'https://github.com/9p4/jellyfin-plugin-sso',
  lookedUpOn: '2026-11-17',
  tried: NOT_IN_A_REGISTRY,
}
