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
  txn:set_var('txn.token', 'invalid')
  local header = txn.f:req_hdr('authorization') or ''
  local token = header:match('^[Bb]earer ([%w_-]+)$')
  if not token then return end
  local answer = core.httpclient():post({
    url = URL,
    headers = {
      ['authorization'] = { 'Basic ' .. txn.c:base64(CREDENTIALS) },
      ['content-type'] = { 'application/x-www-form-urlencoded' },
    },
    body = 'token=' .. token,
    timeout = 5000,
  })
  if answer.status ~= 200 then return txn:set_var('txn.token', 'unknown') end
  local active = txn.c:json_query(answer.body, '$.active')
  if active ~= true and active ~= 1 then return end
  local scopes = ' ' .. (txn.c:json_query(answer.body, '$.scope') or '') .. ' '
  if not scopes:find(' ' .. SCOPE .. ' ', 1, true) then return end
  txn:set_var('txn.token', 'valid')
  txn:set_var('txn.subject', txn.c:json_query(answer.body, '$.sub'))
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
  http-request lua.introspect
  http-request return status 503 if { var(txn.token) -m str unknown }
  http-request return status 401 hdr WWW-Authenticate Bearer unless { var(txn.token) -m str valid }
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
    'HAProxy 2.5 or later. Its own functions for tokens (jwt_verify) are for signed ones; those of Latchkey are opaque, so it asks.',
    'It asks for each request and keeps nothing: a revoked token is refused at the next request.',
    'The API gets the sub in X-Token-Subject, which no client can set. Let nobody reach the API but HAProxy.',
  ],
  source: 'https://www.arpalert.org/src/haproxy-lua-api/2.6/index.html',
  lookedUpOn: '2026-11-18',
  tried: { test: 'test/third-party/haproxy.test.ts' },
}
