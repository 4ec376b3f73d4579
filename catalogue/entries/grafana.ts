import { addressOf, CODE_AND_REFRESH, type Entry, NOT_IN_A_REGISTRY } from '../entry.ts'

export const grafana: Entry = {
  id: 'grafana',
  name: 'Grafana',
  family: 'Monitoring',
  questions: [
    addressOf('Grafana', 'https://grafana.example.com'),
    { name: 'admins', kind: 'group', label: 'Role whose members administer Grafana', example: 'grafana-admins' },
  ],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/login/generic_oauth'],
    postLogoutRedirectUris: ['{{address}}/login'],
    scopes: ['openid', 'profile', 'email', 'groups', 'offline_access'],
    grantTypes: CODE_AND_REFRESH,
    launchUrl: '{{address}}/login/generic_oauth',
  },
  why: {
    scopes: 'Grafana decides by the groups who is an administrator, and refreshes to notice that access has ended.',
  },
  snippets: [
    {
      title: 'grafana.ini',
      format: 'ini',
      text: `[server]
root_url = {{address}}/

[auth.generic_oauth]
enabled = true
name = Latchkey
client_id = {{client_id}}
client_secret = {{client_secret}}
scopes = openid profile email groups offline_access
auth_url = {{issuer}}/oauth/authorize
token_url = {{issuer}}/oauth/token
api_url = {{issuer}}/oauth/userinfo
use_pkce = true
use_refresh_token = true
login_attribute_path = preferred_username
groups_attribute_path = groups
role_attribute_path = contains(groups[*], '{{admins}}') && 'Admin' || 'Viewer'`,
    },
  ],
  notes: [
    'PKCE is off unless use_pkce is set.',
    'Grafana reads the user from userinfo, so the claims in the ID token may stay minimal.',
  ],
  source:
    'https://grafana.com/docs/grafana/latest/setup-grafana/configure-access/configure-authentication/generic-oauth/',
  lookedUpOn: '2026-11-17',
  tried: NOT_IN_A_REGISTRY,
}
