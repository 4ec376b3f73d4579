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
    launchUrl: '{{address}}/users/sign_in',
  },
  why: { grantTypes: 'GitLab asks once, at sign-in, and needs no refresh token.' },
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
  notes: [
    'Run gitlab-ctl reconfigure after the change.',
    'PKCE is off unless pkce is true.',
    'GitLab verifies the ID token with the algorithm in its header and the published keys, so ES256 needs no setting. Leave client_signing_alg out, or set it to ES256.',
  ],
  limits:
    'GitLab sends PKCE if its library is omniauth_openid_connect 0.5 or later; GitLab 17 has 0.8. Earlier versions of GitLab use gitlab-omniauth-openid-connect, which ignores pkce: true and is refused. It sends a nonce, so it can be connected with optional PKCE.',
  unconfirmed:
    'Which version of GitLab was the first with that library. By the dates of both projects it was 15.9, of February 2023.',
  source: 'https://docs.gitlab.com/administration/auth/oidc/',
  lookedUpOn: '2026-11-18',
  tried: NOT_IN_A_REGISTRY,
}
