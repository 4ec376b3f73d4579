import { ADDRESS, CODE, type Entry } from '../entry.ts'

export const singlePageApplication: Entry = {
  id: 'single-page-application',
  name: 'Single-page application',
  family: 'Generic',
  questions: [
    ADDRESS,
    { name: 'callback', kind: 'word', label: 'Last part of the callback address', example: 'callback' },
  ],
  client: {
    clientType: 'public',
    redirectUris: ['{{address}}/{{callback}}'],
    postLogoutRedirectUris: ['{{address}}/'],
    scopes: ['openid', 'profile', 'email'],
    grantTypes: CODE,
    launchUrl: '{{address}}/',
  },
  why: {
    clientType: 'Its code is readable by everybody, so it can keep no secret. PKCE protects it.',
    grantTypes:
      'A refresh token in the storage of a browser is a risk; the session at Latchkey renews silently instead.',
  },
  snippets: [
    {
      title: 'oidc-client-ts',
      format: 'javascript',
      text: `import { UserManager } from 'oidc-client-ts'

export const users = new UserManager({
  authority: '{{issuer}}',
  client_id: '{{client_id}}',
  redirect_uri: '{{address}}/{{callback}}',
  post_logout_redirect_uri: '{{address}}/',
  scope: 'openid profile email',
})`,
    },
  ],
  notes: [],
  source: 'https://github.com/authts/oidc-client-ts/blob/main/docs/protocols/authorization-code-grant-with-pkce.md',
  lookedUpOn: '2026-11-17',
  tried: { test: 'e2e/browser-application.spec.ts' },
}
