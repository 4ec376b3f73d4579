import { type Entry, RESOURCE_SERVER } from '../entry.ts'

export const dovecot: Entry = {
  id: 'dovecot',
  name: 'Dovecot',
  family: 'Mail',
  questions: [{ name: 'scope', kind: 'word', label: 'Scope that lets a mail program in', example: 'mail' }],
  client: { ...RESOURCE_SERVER.client, introspectionClaims: true },
  why: {
    ...RESOURCE_SERVER.why,
    introspectionClaims: 'Dovecot finds the mailbox by the email address, and knows it from introspection alone.',
  },
  snippets: [
    {
      title: 'dovecot.conf of Dovecot 2.3',
      format: 'ini',
      text: `auth_mechanisms = $auth_mechanisms oauthbearer xoauth2

passdb {
  driver = oauth2
  mechanisms = oauthbearer xoauth2
  args = /etc/dovecot/dovecot-oauth2.conf.ext
}`,
    },
    {
      title: '/etc/dovecot/dovecot-oauth2.conf.ext up to Dovecot 2.3.20',
      format: 'ini',
      text: `introspection_mode = post
introspection_url = {{issuer}}/oauth/introspect
client_id = {{client_id}}
client_secret = {{client_secret}}
active_attribute = email_verified
active_value = true
username_attribute = email
scope = {{scope}}
openid_configuration_url = {{issuer}}/.well-known/openid-configuration`,
    },
    {
      title: '/etc/dovecot/dovecot-oauth2.conf.ext of Dovecot 2.3.21',
      format: 'ini',
      text: `introspection_mode = post
introspection_url = {{issuer_with_credentials}}/oauth/introspect
active_attribute = email_verified
active_value = true
username_attribute = email
scope = {{scope}}
openid_configuration_url = {{issuer}}/.well-known/openid-configuration`,
    },
    {
      title: 'dovecot.conf of Dovecot 2.4',
      format: 'ini',
      text: `auth_mechanisms {
  oauthbearer = yes
  xoauth2 = yes
}

oauth2 {
  introspection_mode = post
  introspection_url = {{issuer_with_credentials}}/oauth/introspect
  active_attribute = email_verified
  active_value = true
  username_attribute = email
  scope = {{scope}}
  openid_configuration_url = {{issuer}}/.well-known/openid-configuration
}`,
    },
  ],
  notes: [
    'The mail program, such as Roundcube, is an application of its own: register it with this scope, and let it ask for it. Without scope, every token of every application opens the mailbox.',
    'Mailboxes are named by email addresses, so that the mail program also asks for the scope email. An address that nobody has confirmed opens no mailbox: email_verified is there and true only for a valid token of somebody whose address is confirmed.',
    'Postfix authenticates SMTP through Dovecot and needs no settings of its own.',
    'Up to 2.3.20 Dovecot sends the credentials in the body, later those in the address. Give them in one place only; both are refused.',
    'Dovecot asks once, when a mail program connects. A connection that is open stays open when access ends: end it with doveadm kick.',
    'Leave auth_cache_size at 0. With a cache, a revoked token is accepted for auth_cache_ttl, which is an hour unless it is set.',
  ],
  unconfirmed: 'The settings of 2.3.21 and 2.4, which were compared with the source. 2.3.19 was run.',
  source: 'https://doc.dovecot.org/latest/core/config/auth/databases/oauth2.html',
  lookedUpOn: '2026-11-18',
  tried: { test: 'test/third-party/dovecot.test.ts' },
}
