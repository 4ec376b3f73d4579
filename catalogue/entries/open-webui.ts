import { addressOf, CODE_AND_REFRESH, type Entry, NOT_IN_A_REGISTRY } from '../entry.ts'

export const openWebui: Entry = {
  id: 'open-webui',
  name: 'Open WebUI',
  family: 'Office',
  questions: [addressOf('Open WebUI', 'https://chat.example.com')],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/oauth/oidc/callback'],
    scopes: ['openid', 'profile', 'email', 'groups', 'offline_access'],
    grantTypes: CODE_AND_REFRESH,
    launchUrl: '{{address}}/oauth/oidc/login',
    backchannelLogoutUri: '{{address}}/oauth/backchannel-logout',
  },
  why: {
    scopes: 'Without a refresh token it warns each hour that the authorization has ended.',
    backchannelLogoutUri: 'Open WebUI takes logout tokens from version 0.9.0 on.',
  },
  snippets: [
    {
      title: 'Environment of the container',
      format: 'env',
      text: `WEBUI_URL={{address}}
ENABLE_OAUTH_SIGNUP=true
OAUTH_CLIENT_ID={{client_id}}
OAUTH_CLIENT_SECRET={{client_secret}}
OPENID_PROVIDER_URL={{issuer}}/.well-known/openid-configuration
OPENID_REDIRECT_URI={{address}}/oauth/oidc/callback
OAUTH_PROVIDER_NAME=Latchkey
OAUTH_SCOPES="openid email profile groups offline_access"
OAUTH_CODE_CHALLENGE_METHOD=S256
ENABLE_OAUTH_GROUP_MANAGEMENT=true
OAUTH_GROUP_CLAIM=groups
ENABLE_OAUTH_BACKCHANNEL_LOGOUT=true`,
    },
  ],
  notes: [
    'PKCE is off unless OAUTH_CODE_CHALLENGE_METHOD is set.',
    'Settings are copied into its database at the first start; set ENABLE_OAUTH_PERSISTENT_CONFIG=false to change them later.',
    'Without Redis (REDIS_URL) it can end no session when it gets a logout token; with it, the person is signed out of all browsers.',
  ],
  source: 'https://docs.openwebui.com/features/access-security/auth/sso/',
  lookedUpOn: '2026-11-19',
  tried: NOT_IN_A_REGISTRY,
}
