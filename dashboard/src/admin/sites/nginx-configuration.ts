import { lines, partsOf, portsOf, type ProxiedSite, unusedNames, type Upstreams } from './proxied-site.ts'

const withUnderscores = (name: string): string => name.replaceAll('-', '_').toLowerCase()
const variableOf = (name: string): string => `$latchkey_${withUnderscores(name)}`

/** No host has an underscore, so no two hosts get one name. */
const upstreamOf = (host: string): string => `site_${host.replace(':', '_')}`

const LATCHKEY_ANSWERS = [
  '        proxy_connect_timeout 2s;',
  '        proxy_read_timeout 10s;',
  '        # All that names a visitor is in the headers of one answer.',
  '        proxy_buffer_size 16k;',
  '        proxy_buffers 8 16k;',
]

const nginxServer = (host: string, headers: readonly string[]): string => {
  const { name, port } = partsOf(host)
  return lines(
    'server {',
    `    listen ${port} ssl http2;`,
    `    server_name ${name};`,
    `    ssl_certificate /etc/letsencrypt/live/${name}/fullchain.pem;`,
    `    ssl_certificate_key /etc/letsencrypt/live/${name}/privkey.pem;`,
    '    # Some applications read a header with underscores as the same as one with hyphens.',
    '    underscores_in_headers off;',
    '    # The application decides how large a body may be.',
    '    client_max_body_size 0;',
    '',
    '    # nginx asks here about each request. The host is written out: $http_host is what the visitor says.',
    '    location = /.latchkey-auth {',
    '        internal;',
    '        proxy_pass http://latchkey/api/authz/auth-request;',
    '        proxy_pass_request_body off;',
    '        proxy_set_header Content-Length "";',
    '        proxy_set_header X-Original-Method $request_method;',
    `        proxy_set_header X-Original-URL https://${host}$request_uri;`,
    '        proxy_set_header X-Forwarded-For $remote_addr;',
    LATCHKEY_ANSWERS,
    '    }',
    '',
    '    # The sign-in at this site.',
    '    location /.latchkey/ {',
    '        proxy_pass http://latchkey;',
    `        proxy_set_header X-Forwarded-Host ${host};`,
    '        proxy_set_header X-Forwarded-Proto https;',
    '        proxy_set_header X-Forwarded-For $remote_addr;',
    LATCHKEY_ANSWERS,
    '    }',
    '',
    '    location / {',
    '        auth_request /.latchkey-auth;',
    headers.map(
      (header) => `        auth_request_set ${variableOf(header)} $upstream_http_${withUnderscores(header)};`,
    ),
    '        error_page 401 403 = @latchkey_answer;',
    '',
    '        # These replace what a visitor sends under the same names.',
    headers.map((header) => `        proxy_set_header ${header} ${variableOf(header)};`),
    unusedNames(headers).map((name) => `        proxy_set_header ${name} "";`),
    `        proxy_set_header Host ${host};`,
    `        proxy_set_header X-Forwarded-Host ${host};`,
    '        proxy_set_header X-Forwarded-For $remote_addr;',
    '        proxy_set_header X-Forwarded-Proto https;',
    '        proxy_set_header Upgrade $latchkey_upgrade;',
    '        proxy_set_header Connection $latchkey_connection;',
    '        proxy_http_version 1.1;',
    '        proxy_buffering off;',
    '        proxy_request_buffering off;',
    '        proxy_connect_timeout 5s;',
    '        # How long a WebSocket or a stream may be silent.',
    '        proxy_read_timeout 1h;',
    '        proxy_send_timeout 1h;',
    `        proxy_pass http://${upstreamOf(host)};`,
    '    }',
    '',
    '    # The way to the sign-in, or the page that says why not: nginx keeps only the status of the answer to its own question.',
    '    location @latchkey_answer {',
    '        rewrite ^ /api/authz/forward-auth break;',
    '        proxy_pass http://latchkey;',
    '        proxy_pass_request_body off;',
    '        proxy_set_header Content-Length "";',
    '        proxy_set_header X-Forwarded-Method $request_method;',
    '        proxy_set_header X-Forwarded-Proto https;',
    `        proxy_set_header X-Forwarded-Host ${host};`,
    '        proxy_set_header X-Forwarded-Uri $request_uri;',
    '        proxy_set_header X-Forwarded-For $remote_addr;',
    headers.map((header) => `        proxy_hide_header ${header};`),
    LATCHKEY_ANSWERS,
    '    }',
    '}',
    '',
  )
}

const otherNames = (port: string): string =>
  lines(
    '# Once for each port: whoever asks for another name gets nothing.',
    'server {',
    `    listen ${port} ssl http2 default_server;`,
    '    ssl_reject_handshake on;',
    '    return 444;',
    '}',
    '',
  )

export const nginxConfiguration = ({ hosts, headers }: ProxiedSite, { latchkey, application }: Upstreams): string =>
  lines(
    '# Once for all sites:',
    'upstream latchkey {',
    `    server ${latchkey};`,
    '}',
    '# WebSockets, and no other protocol: what is asked for in HTTP/2 over such a connection would pass unseen.',
    'map $http_upgrade $latchkey_upgrade {',
    "    default '';",
    '    ~*^websocket$ websocket;',
    '}',
    'map $latchkey_upgrade $latchkey_connection {',
    "    default '';",
    '    websocket upgrade;',
    '}',
    '',
    portsOf(hosts).map(otherNames),
    '# For this site:',
    hosts.flatMap((host) => [
      `upstream ${upstreamOf(host)} {`,
      `    server ${application};`,
      '}',
      nginxServer(host, headers),
    ]),
  )
