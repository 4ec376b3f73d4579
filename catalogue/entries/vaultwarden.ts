import { addressOf, CODE_AND_REFRESH, type Entry, NOT_IN_A_REGISTRY } from '../entry.ts'

export const vaultwarden: Entry = {
  id: 'vaultwarden',
  name: 'Vaultwarden',
  family: 'Office',
  questions: [addressOf('Vaultwarden', 'https://vault.example.com')],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/identity/connect/oidc-signin'],
    scopes: ['openid', 'profile', 'email', 'offline_access'],
    grantTypes: CODE_AND_REFRESH,
    id_token_signed_response_alg: 'RS256',
    launchUrl: '{{address}}/',
  },
  why: {
    scopes: 'With a refresh token Vaultwarden notices when access has ended.',
    id_token_signed_response_alg:
      'RS256 is what OpenID Connect libraries accept by default, and it has no setting for another one.',
  },
  snippets: [
    {
      title: '.env',
      format: 'env',
      text: `DOMAIN={{address}}
SSO_ENABLED=true
SSO_AUTHORITY={{issuer}}
SSO_CLIENT_ID={{client_id}}
SSO_CLIENT_SECRET={{client_secret}}
SSO_SCOPES="email profile offline_access"
SSO_PKCE=true`,
    },
  ],
  notes: ['The master password stays: signing in does not open the vault.', 'SSO_AUTHORITY has no slash at its end.'],
  unconfirmed: 'Whether Vaultwarden accepts ES256 as well.',
  source: 'https://github.com/dani-garcia/vaultwarden/wiki/Enabling-SSO-support-using-OpenId-Connect',
  lookedUpOn: '2026-11-17',
  tried: NOT_IN_A_REGISTRY,
}
