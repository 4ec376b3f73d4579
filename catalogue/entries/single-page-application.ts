import { ADDRESS, CODE_AND_REFRESH, type Entry } from '../entry.ts'

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
    scopes: ['openid', 'profile', 'email', 'offline_access'],
    grantTypes: CODE_AND_REFRESH,
    launchUrl: '{{address}}/',
  },
  why: {
    clientType: 'Its code is readable by everybody, so it can keep no secret. PKCE protects it.',
    grantTypes:
      'Its access token is valid for an hour and is renewed with a refresh token, which is replaced each time it is used.',
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
  scope: 'openid profile email offline_access',
})`,
    },
  ],
  notes: [
    'With the refresh token oidc-client-ts renews by itself. It keeps the tokens in sessionStorage, which tabs do not share.',
    'A foreign script that runs in the page can read the tokens: forbid such scripts with a Content-Security-Policy. A refresh token that is sent again more than ten seconds after its use ends the whole authorization, which lasts 90 days at most.',
    'Renewing with prompt=none in a hidden frame works only if the application and Latchkey are on the same site, such as app.example.com and id.example.com. From another site browsers do not send the session cookie, and the answer is login_required.',
  ],
  source: 'https://github.com/authts/oidc-client-ts/blob/main/docs/protocols/refresh-token-grant.md',
  lookedUpOn: '2026-11-18',
  tried: { test: 'e2e/browser-application.spec.ts' },
}
