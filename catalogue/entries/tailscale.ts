import { A_HOSTED_SERVICE, CODE, type Entry } from '../entry.ts'

export const tailscale: Entry = {
  id: 'tailscale',
  name: 'Tailscale',
  family: 'Infrastructure',
  questions: [{ name: 'domain', kind: 'word', label: 'Domain of your email addresses', example: 'example.com' }],
  client: {
    clientType: 'confidential',
    redirectUris: ['https://login.tailscale.com/a/oauth_response'],
    scopes: ['openid', 'profile', 'email'],
    grantTypes: CODE,
    pkce: 'optional',
  },
  why: {
    grantTypes: 'Tailscale asks at sign-in, and needs no refresh token.',
    pkce: 'Tailscale does not say that it sends PKCE, and others report that it sends none.',
  },
  snippets: [
    {
      title: 'https://{{domain}}/.well-known/webfinger',
      format: 'json',
      text: `{
  "subject": "acct:you@{{domain}}",
  "links": [{ "rel": "http://openid.net/specs/connect/1.0/issuer", "href": "{{issuer}}" }]
}`,
    },
    {
      title: 'https://login.tailscale.com/start/oidc',
      format: 'form',
      text: `Issuer: {{issuer}}
Client ID: {{client_id}}
Client secret: {{client_secret}}
Prompt: default`,
    },
  ],
  notes: [
    'Tailscale finds the issuer by WebFinger at the domain of your email addresses, which must serve the file above.',
    'It accepts ES256 and RSA.',
  ],
  limits:
    'A request without PKCE needs a nonce here. If Tailscale sends neither, it is refused; the refusals of the client show it.',
  unconfirmed: 'Whether Tailscale sends PKCE or a nonce.',
  source: 'https://tailscale.com/kb/1240/sso-custom-oidc',
  lookedUpOn: '2026-11-17',
  tried: A_HOSTED_SERVICE,
}
