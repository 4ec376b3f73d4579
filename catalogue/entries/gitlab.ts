import { addressOf, CODE, type Entry, NOT_IN_A_REGISTRY } from '../entry.ts'

export const gitlab: Entry = {
  id: 'gitlab',
  name: 'GitLab',
  family: 'Code',
  questions: [addressOf('GitLab', 'https://gitlab.example.com')],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/users/auth/openid_connect/callback'],
    scopes: ['openid', 'profile', 'email', 'groups'],
    grantTypes: CODE,
    id_token_signed_response_alg: 'RS256',
    launchUrl: '{{address}}/users/sign_in',
  },
  why: {
    grantTypes: 'GitLab asks once, at sign-in, and needs no refresh token.',
    id_token_signed_response_alg: 'GitLab’s OpenID Connect library has been reported to expect RS256 in the code flow.',
  },
  snippets: [
    {
      title: '/etc/gitlab/gitlab.rb',
      format: 'ruby',
      text: `gitlab_rails['omniauth_allow_single_sign_on'] = ['openid_connect']
gitlab_rails['omniauth_providers'] = [
  {
    name: "openid_connect",
    label: "Latchkey",
    args: {
      name: "openid_connect",
      scope: ["openid", "profile", "email", "groups"],
      response_type: "code",
      issuer: "{{issuer}}",
      discovery: true,
      client_auth_method: "basic",
      pkce: true,
      client_options: {
        identifier: "{{client_id}}",
        secret: "{{client_secret}}",
        redirect_uri: "{{address}}/users/auth/openid_connect/callback"
      }
    }
  }
]`,
    },
  ],
  notes: ['Run gitlab-ctl reconfigure after the change.', 'PKCE is off unless pkce is true.'],
  unconfirmed: 'Whether current versions accept ES256: the report about RS256 is from 2020.',
  source: 'https://docs.gitlab.com/administration/auth/oidc/',
  lookedUpOn: '2026-11-17',
  tried: NOT_IN_A_REGISTRY,
}
