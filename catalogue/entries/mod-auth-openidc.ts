import { addressOf, CODE, type Entry } from '../entry.ts'

export const modAuthOpenidc: Entry = {
  id: 'mod-auth-openidc',
  name: 'Apache with mod_auth_openidc',
  family: 'Infrastructure',
  questions: [
    addressOf('the site', 'https://intranet.example.com'),
    { name: 'members', kind: 'group', label: 'Role whose members may open the site', example: 'staff' },
  ],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/oidc-callback'],
    postLogoutRedirectUris: ['{{address}}/'],
    scopes: ['openid', 'profile', 'email', 'groups'],
    grantTypes: CODE,
    launchUrl: '{{address}}/',
    backchannelLogoutUri: '{{address}}/oidc-callback?logout=backchannel',
    backchannelLogoutSessionRequired: true,
  },
  why: {
    grantTypes: 'The module asks userinfo again, and signs in anew when it is refused.',
    backchannelLogoutSessionRequired: 'It finds sessions by sid when ID tokens have one.',
  },
  snippets: [
    {
      title: 'In the virtual host',
      format: 'apache',
      text: `OIDCProviderMetadataURL {{issuer}}/.well-known/openid-configuration
OIDCClientID {{client_id}}
OIDCClientSecret {{client_secret}}
OIDCRedirectURI {{address}}/oidc-callback
OIDCCryptoPassphrase "exec:/bin/cat /etc/apache2/oidc-passphrase"
OIDCScope "openid profile email groups"
OIDCPKCEMethod S256
OIDCIDTokenSignedResponseAlg ES256
OIDCResponseMode form_post
OIDCCookieSameSite Off
OIDCUserInfoRefreshInterval 60
OIDCRemoteUserClaim email

<Location />
  AuthType openid-connect
  Require claim "groups:{{members}}"
</Location>`,
    },
  ],
  notes: [
    'PKCE is off unless OIDCPKCEMethod is set.',
    'The redirect URL is one that nothing else serves.',
    'Version 2.4.12 shows a page about OIDCDefaultURL when a sign-in is refused. The refusals of the client show the reason.',
    'Within OIDCUserInfoRefreshInterval seconds it notices that access has ended, also where no logout token arrives.',
    'Logout tokens end sessions that are kept on the server, which is the default of OIDCSessionType.',
    'form_post keeps the code out of the logs of the server. It needs OIDCCookieSameSite Off; leave both out to use a query.',
  ],
  source: 'https://github.com/OpenIDC/mod_auth_openidc/blob/master/auth_openidc.conf',
  lookedUpOn: '2026-11-19',
  tried: { test: 'test/third-party/mod-auth-openidc.test.ts' },
}
