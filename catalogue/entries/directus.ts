import { addressOf, CODE_AND_REFRESH, type Entry } from '../entry.ts'

export const directus: Entry = {
  id: 'directus',
  name: 'Directus',
  family: 'Office',
  questions: [addressOf('Directus', 'https://directus.example.com')],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/auth/login/latchkey/callback'],
    scopes: ['openid', 'profile', 'email', 'groups', 'offline_access'],
    grantTypes: CODE_AND_REFRESH,
    launchUrl: '{{address}}/auth/login/latchkey?redirect={{address}}/admin',
  },
  why: { grantTypes: 'With a refresh token Directus notices when access has ended.' },
  snippets: [
    {
      title: 'Environment',
      format: 'env',
      text: `PUBLIC_URL={{address}}
AUTH_PROVIDERS=latchkey
AUTH_LATCHKEY_DRIVER=openid
AUTH_LATCHKEY_LABEL=Latchkey
AUTH_LATCHKEY_CLIENT_ID={{client_id}}
AUTH_LATCHKEY_CLIENT_SECRET={{client_secret}}
AUTH_LATCHKEY_ISSUER_URL={{issuer}}/.well-known/openid-configuration
AUTH_LATCHKEY_SCOPE="openid profile email groups offline_access"
AUTH_LATCHKEY_CLIENT_ID_TOKEN_SIGNED_RESPONSE_ALG=ES256
AUTH_LATCHKEY_ALLOW_PUBLIC_REGISTRATION=true
AUTH_LATCHKEY_REQUIRE_VERIFIED_EMAIL=true
AUTH_LATCHKEY_DEFAULT_ROLE_ID=ID_OF_A_ROLE_IN_DIRECTUS`,
    },
  ],
  notes: [
    'Directus uses openid-client 5, which expects RS256 unless the algorithm is set as above. It sends PKCE and reads userinfo.',
    'AUTH_LATCHKEY_ROLE_MAPPING maps the names of roles here to ids of roles in Directus.',
  ],
  source: 'https://github.com/directus/directus/blob/main/api/src/auth/drivers/openid.ts',
  lookedUpOn: '2026-11-18',
  tried: {
    not: 'The dependencies of 12.4.0 are compiled when it is installed.',
    settings: 'from its source',
  },
}
