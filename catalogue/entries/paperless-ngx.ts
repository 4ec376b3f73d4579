import { addressOf, CODE, type Entry, NOT_IN_A_REGISTRY } from '../entry.ts'

export const paperlessNgx: Entry = {
  id: 'paperless-ngx',
  name: 'Paperless-ngx',
  family: 'Office',
  questions: [addressOf('Paperless-ngx', 'https://paperless.example.com')],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/accounts/oidc/latchkey/login/callback/'],
    scopes: ['openid', 'profile', 'email', 'groups'],
    grantTypes: CODE,
    launchUrl: '{{address}}/',
  },
  why: { grantTypes: 'Paperless-ngx asks once, at sign-in, and needs no refresh token.' },
  snippets: [
    {
      title: 'docker-compose.env',
      format: 'env',
      text: `PAPERLESS_URL={{address}}
PAPERLESS_APPS=allauth.socialaccount.providers.openid_connect
PAPERLESS_SOCIALACCOUNT_PROVIDERS={"openid_connect":{"OAUTH_PKCE_ENABLED":true,"SCOPE":["openid","profile","email","groups"],"APPS":[{"provider_id":"latchkey","name":"Latchkey","client_id":"{{client_id}}","secret":"{{client_secret}}","settings":{"server_url":"{{issuer}}","token_auth_method":"client_secret_basic"}}]}}
PAPERLESS_SOCIAL_ACCOUNT_SYNC_GROUPS=true`,
    },
  ],
  notes: ['PKCE is off unless OAUTH_PKCE_ENABLED is true.', 'The provider_id is part of the callback address.'],
  unconfirmed: 'Which claim Paperless-ngx reads the groups from.',
  source: 'https://docs.paperless-ngx.com/configuration/#PAPERLESS_SOCIALACCOUNT_PROVIDERS',
  lookedUpOn: '2026-11-17',
  tried: NOT_IN_A_REGISTRY,
}
