import { addressOf, CODE_AND_REFRESH, type Entry, NOT_IN_A_REGISTRY } from '../entry.ts'

export const oauth2Proxy: Entry = {
  id: 'oauth2-proxy',
  name: 'oauth2-proxy',
  family: 'Infrastructure',
  questions: [
    addressOf('the site', 'https://intranet.example.com'),
    { name: 'members', kind: 'group', label: 'Role whose members may open the site', example: 'staff' },
  ],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/oauth2/callback'],
    postLogoutRedirectUris: ['{{address}}/'],
    scopes: ['openid', 'profile', 'email', 'groups', 'offline_access'],
    grantTypes: CODE_AND_REFRESH,
    idTokenClaims: 'full',
    launchUrl: '{{address}}/',
  },
  why: {
    scopes: 'With a refresh token oauth2-proxy notices when access has ended.',
    idTokenClaims: 'oauth2-proxy reads the email address and the groups from the ID token.',
  },
  snippets: [
    {
      title: 'oauth2-proxy.cfg',
      format: 'toml',
      text: `provider = "oidc"
oidc_issuer_url = "{{issuer}}"
client_id = "{{client_id}}"
client_secret = "{{client_secret}}"
redirect_url = "{{address}}/oauth2/callback"
scope = "openid profile email groups offline_access"
code_challenge_method = "S256"
oidc_groups_claim = "groups"
allowed_groups = ["{{members}}"]
email_domains = ["*"]
cookie_refresh = "1m"
cookie_secret_file = "/etc/oauth2-proxy/cookie-secret"`,
    },
  ],
  notes: ['PKCE is off unless code_challenge_method is set.', 'It refuses email addresses that are not confirmed.'],
  source: 'https://oauth2-proxy.github.io/oauth2-proxy/configuration/overview',
  lookedUpOn: '2026-11-17',
  tried: NOT_IN_A_REGISTRY,
}
