import { A_HOSTED_SERVICE, CODE, type Entry } from '../entry.ts'

export const cloudflareAccess: Entry = {
  id: 'cloudflare-access',
  name: 'Cloudflare Access',
  family: 'Infrastructure',
  questions: [{ name: 'team', kind: 'word', label: 'Team name at Cloudflare', example: 'example' }],
  client: {
    clientType: 'confidential',
    redirectUris: ['https://{{team}}.cloudflareaccess.com/cdn-cgi/access/callback'],
    scopes: ['openid', 'profile', 'email', 'groups'],
    grantTypes: CODE,
    idTokenClaims: 'full',
  },
  why: {
    grantTypes: 'Cloudflare asks at sign-in, and needs no refresh token.',
    idTokenClaims: 'Cloudflare reads the email address and other claims from the ID token.',
  },
  snippets: [
    {
      title: 'Integrations, Identity providers, Add new, OpenID Connect',
      format: 'form',
      text: `Name: Latchkey
App ID: {{client_id}}
Client secret: {{client_secret}}
Auth URL: {{issuer}}/oauth/authorize
Token URL: {{issuer}}/oauth/token
Certificate URL: {{issuer}}/.well-known/jwks.json
Proof Key for Code Exchange (PKCE): on
Email claim: email
OIDC claims: groups`,
    },
  ],
  notes: ['PKCE is off unless it is switched on.', 'Cloudflare accepts ES256.'],
  source: 'https://developers.cloudflare.com/cloudflare-one/integrations/identity-providers/generic-oidc/',
  lookedUpOn: '2026-11-17',
  tried: A_HOSTED_SERVICE,
}
