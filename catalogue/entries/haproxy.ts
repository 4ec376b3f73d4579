import { type Entry, RESOURCE_SERVER } from '../entry.ts'

export const haproxy: Entry = {
  id: 'haproxy',
  name: 'HAProxy',
  family: 'APIs',
  questions: [{ name: 'scope', kind: 'word', label: 'Scope that the API checks', example: 'reports' }],
  client: RESOURCE_SERVER.client,
  why: RESOURCE_SERVER.why,
  snippets: [
    {
      title: '/etc/haproxy/introspect.lua',
      format: 'lua',
      text: `local URL = '{{issuer}}/oauth/introspect'
local CREDENTIALS = '{{client_id}}:{{client_secret}}'
local SCOPE = '{{scope}}'

core.register_action('introspect', { 'http-req' }, function(txn)
  local header = txn.f:req_hdr('authorization') or ''
  local token = header:match('^[Bb]earer ([%w_-]+)$')
  if not token then return txn:set_var('txn.token', 'invalid') end
  local answer = core.httpclient():post({
    url = URL,
    headers = {
      ['authorization'] = { 'Basic ' .. txn.c:base64(CREDENTIALS) },
      ['content-type'] = { 'application/x-www-form-urlencoded' },
    },
    body = 'token=' .. token,
    timeout = 5000,
  })
  if answer.status ~= 200 then return end
  local active = txn.c:json_query(answer.body, '$.active')
  local scopes = ' ' .. (txn.c:json_query(answer.body, '$.scope') or '') .. ' '
  if (active ~= true and active ~= 1) or not scopes:find(' ' .. SCOPE .. ' ', 1, true) then
    return txn:set_var('txn.token', 'invalid')
  end
  txn:set_var('txn.subject', txn.c:json_query(answer.body, '$.sub'))
  txn:set_var('txn.token', 'valid')
end)`,
    },
    {
      title: '/etc/haproxy/haproxy.cfg',
      format: 'haproxy',
      text: `global
  lua-load /etc/haproxy/introspect.lua

frontend api
  bind :443 ssl crt /etc/haproxy/api.pem
  mode http
  timeout client 30s
  # The API may read X_Token-Subject as X-Token-Subject, and a proxy before it leaves out what Connection names.
  option http-restrict-req-hdr-names delete
  http-request del-header connection
  http-request del-header upgrade
  http-request lua.introspect
  http-request return status 401 hdr WWW-Authenticate Bearer if { var(txn.token) -m str invalid }
  # Latchkey could not be asked, or the script failed: HAProxy goes on then.
  http-request return status 503 unless { var(txn.token) -m str valid }
  http-request set-header X-Token-Subject %[var(txn.subject)]
  default_backend api

backend api
  mode http
  timeout connect 5s
  timeout server 30s
  server api 127.0.0.1:8080`,
    },
  ],
  notes: [
    'HAProxy 2.6 or later. Its own functions for tokens (jwt_verify) are for signed ones; those of Latchkey are opaque, so it asks.',
    'It asks for each request and keeps nothing: a revoked token is refused at the next request.',
    'Connection and Upgrade are removed, so WebSockets do not pass.',
    'The API gets the sub in X-Token-Subject, which no client can set. Let nobody reach the API but HAProxy.',
  ],
  source: 'https://www.arpalert.org/src/haproxy-lua-api/2.6/index.html',
  lookedUpOn: '2026-11-18',
  tried: { test: 'test/third-party/haproxy.test.ts' },
}
