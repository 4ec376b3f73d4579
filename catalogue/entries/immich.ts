import { addressOf, CODE, type Entry, NOT_IN_A_REGISTRY } from '../entry.ts'

export const immich: Entry = {
  id: 'immich',
  name: 'Immich',
  family: 'Files and photos',
  questions: [addressOf('Immich', 'https://photos.example.com')],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/auth/login', '{{address}}/user-settings', 'app.immich:///oauth-callback'],
    scopes: ['openid', 'profile', 'email'],
    grantTypes: CODE,
    launchUrl: '{{address}}/auth/login?autoLaunch=1',
    backchannelLogoutUri: '{{address}}/api/oauth/backchannel-logout',
  },
  why: {
    redirectUris: 'The second is used to link an existing account, the third by the apps for phones.',
    grantTypes: 'Immich asks once, at sign-in, and needs no refresh token.',
    backchannelLogoutUri: 'Immich takes logout tokens from version 3.0 on.',
  },
  snippets: [
    {
      title: 'Administration, Settings, OAuth',
      format: 'form',
      text: `Enabled: on
Issuer URL: {{issuer}}/.well-known/openid-configuration
Client ID: {{client_id}}
Client secret: {{client_secret}}
Scope: openid email profile
ID token signed response algorithm: ES256
Storage label claim: preferred_username
Mobile redirect URI override: off`,
    },
  ],
  notes: [
    'Immich expects RS256 unless the algorithm is changed as above.',
    'To make administrators in Immich, map a claim "immich_role" with the value "admin" for one of your roles.',
    'Claims are read when an account is made, not at later sign-ins.',
  ],
  unconfirmed: 'That Immich sends PKCE: its documentation does not say so.',
  source: 'https://docs.immich.app/administration/oauth',
  lookedUpOn: '2026-11-19',
  tried: NOT_IN_A_REGISTRY,
}
