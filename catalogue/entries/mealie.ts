import { addressOf, CODE, type Entry, NOT_IN_A_REGISTRY } from '../entry.ts'

export const mealie: Entry = {
  id: 'mealie',
  name: 'Mealie',
  family: 'Home',
  questions: [
    addressOf('Mealie', 'https://recipes.example.com'),
    { name: 'members', kind: 'group', label: 'Role whose members may use Mealie', example: 'family' },
    { name: 'admins', kind: 'group', label: 'Role whose members administer Mealie', example: 'mealie-admins' },
  ],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/login', '{{address}}/login?direct=1'],
    postLogoutRedirectUris: ['{{address}}/login', '{{address}}/login?direct=1'],
    scopes: ['openid', 'profile', 'email', 'groups'],
    grantTypes: CODE,
    launchUrl: '{{address}}/login',
  },
  why: {
    redirectUris: 'The second is used after signing out.',
    grantTypes: 'Mealie asks once, at sign-in, and needs no refresh token.',
  },
  snippets: [
    {
      title: 'Environment of the container',
      format: 'env',
      text: `BASE_URL={{address}}
OIDC_AUTH_ENABLED=true
OIDC_CONFIGURATION_URL={{issuer}}/.well-known/openid-configuration
OIDC_CLIENT_ID={{client_id}}
OIDC_CLIENT_SECRET={{client_secret}}
OIDC_PROVIDER_NAME=Latchkey
OIDC_GROUPS_CLAIM=groups
OIDC_USER_GROUP="{{members}}"
OIDC_ADMIN_GROUP="{{admins}}"`,
    },
  ],
  notes: [
    'Mealie 2 and later; it takes the algorithm from the discovery document and sends PKCE.',
    'Since 3.21 it refuses people whose email address is not confirmed.',
  ],
  source: 'https://docs.mealie.io/documentation/getting-started/authentication/oidc-v2/',
  lookedUpOn: '2026-11-17',
  tried: NOT_IN_A_REGISTRY,
}
