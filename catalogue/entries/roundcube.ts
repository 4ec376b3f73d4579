import { addressOf, CODE_AND_REFRESH, type Entry, NOT_IN_A_REGISTRY } from '../entry.ts'

export const roundcube: Entry = {
  id: 'roundcube',
  name: 'Roundcube',
  family: 'Mail',
  questions: [
    addressOf('Roundcube', 'https://mail.example.com'),
    { name: 'scope', kind: 'word', label: 'Scope that lets a mail program in', example: 'mail' },
  ],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/index.php/login/oauth'],
    scopes: ['openid', 'profile', 'email', 'offline_access', '{{scope}}'],
    grantTypes: CODE_AND_REFRESH,
    launchUrl: '{{address}}/',
    backchannelLogoutUri: '{{address}}/index.php/login/backchannel',
  },
  why: {
    scopes: 'The last is the one that the mail server checks.',
    grantTypes: 'Roundcube renews the token that it brings to the mail server.',
    backchannelLogoutUri:
      'Roundcube takes logout tokens from version 1.7.2 on, if oauth_cache is set, as it is by default.',
  },
  snippets: [
    {
      title: 'config/config.inc.php',
      format: 'php',
      text: `$config['oauth_provider'] = 'generic';
$config['oauth_provider_name'] = 'Latchkey';
$config['oauth_client_id'] = '{{client_id}}';
$config['oauth_client_secret'] = '{{client_secret}}';
$config['oauth_config_uri'] = '{{issuer}}/.well-known/openid-configuration';
$config['oauth_scope'] = 'openid profile email offline_access {{scope}}';
$config['oauth_identity_fields'] = ['email'];
$config['oauth_pkce'] = 'S256';`,
    },
  ],
  notes: [
    'The mail server has to accept these tokens: see Dovecot. Both have to name people by the same claim.',
    'Roundcube brings the token to the mail server for each page, so access ends at the next one.',
    'A logout token signs the person out of all browsers. Roundcube 1.7 does not verify its signature, so it believes anybody who knows the person’s identifier.',
  ],
  limits:
    'Roundcube 1.7 and later. 1.6, which Debian 12 has, sends neither PKCE nor a nonce and is refused, also with optional PKCE.',
  source: 'https://github.com/roundcube/roundcubemail/blob/master/config/defaults.inc.php',
  lookedUpOn: '2026-11-19',
  tried: NOT_IN_A_REGISTRY,
}
