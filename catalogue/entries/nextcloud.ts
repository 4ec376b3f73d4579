import { addressOf, CODE, type Entry, NOT_IN_A_REGISTRY } from '../entry.ts'

export const nextcloud: Entry = {
  id: 'nextcloud',
  name: 'Nextcloud (user_oidc)',
  family: 'Files and photos',
  questions: [addressOf('Nextcloud', 'https://cloud.example.com')],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/apps/user_oidc/code', '{{address}}/index.php/apps/user_oidc/code'],
    postLogoutRedirectUris: ['{{address}}', '{{address}}/'],
    scopes: ['openid', 'profile', 'email', 'groups'],
    grantTypes: CODE,
    idTokenClaims: 'full',
    launchUrl: '{{address}}/',
    backchannelLogoutUri: '{{address}}/index.php/apps/user_oidc/backchannel-logout/latchkey',
    backchannelLogoutSessionRequired: true,
  },
  why: {
    redirectUris: 'Without pretty URLs the path has index.php in it.',
    grantTypes: 'user_oidc asks once, at sign-in, and needs no refresh token.',
    idTokenClaims: 'user_oidc provisions accounts from the ID token.',
    backchannelLogoutUri: 'It ends with the name that the provider has in Nextcloud: latchkey in the command below.',
    backchannelLogoutSessionRequired: 'Before version 7.4, user_oidc finds sessions by sid only.',
  },
  snippets: [
    {
      title: 'In the folder of Nextcloud',
      format: 'sh',
      text: `php occ app:install user_oidc
php occ user_oidc:provider latchkey \\
  --clientid='{{client_id}}' \\
  --clientsecret='{{client_secret}}' \\
  --discoveryuri='{{issuer}}/.well-known/openid-configuration' \\
  --scope='openid profile email groups' \\
  --mapping-uid=preferred_username \\
  --mapping-groups=groups \\
  --group-provisioning=1 \\
  --unique-uid=0`,
    },
  ],
  notes: [
    'user_oidc uses PKCE when the discovery document offers S256, which this one does.',
    'A role named "admin" makes its members administrators of Nextcloud when groups are provisioned.',
  ],
  unconfirmed: 'The post-logout address, which the source that was read does not name.',
  source: 'https://github.com/nextcloud/user_oidc',
  lookedUpOn: '2026-11-19',
  tried: NOT_IN_A_REGISTRY,
}
