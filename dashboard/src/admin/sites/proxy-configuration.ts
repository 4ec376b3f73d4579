import { DEFAULT_HEADERS } from './site-headers.ts'

/** What a configuration is made of. */
export interface ProxiedSite {
  hosts: readonly string[]
  /** The headers that name the visitor, as this site calls them. */
  headers: readonly string[]
  basic: boolean
}

/** Where the proxy reaches Latchkey and the application: names with ports, of a network that only it is in. */
export interface Upstreams {
  latchkey: string
  application: string
}

/** Software that builds variables of headers, such as CGI, reads a name with underscores as the same header. */
const withUnderscores = (name: string): string => name.replaceAll('-', '_')

/** The names that a visitor's headers must not have although this site calls them otherwise, or leaves them out. */
const unusedNames = (headers: readonly string[]): string[] => {
  const used = new Set(headers.map((name) => name.toLowerCase()))
  return Object.values(DEFAULT_HEADERS).filter((name) => !used.has(name.toLowerCase()))
}

const lines = (...parts: (string | readonly string[])[]): string => parts.flat().join('\n')

/** Headers of a visitor under our names are removed first, whatever Latchkey answers. */
function caddyRemovals(headers: readonly string[]): string[] {
  const renamed = headers.filter((name) => !name.startsWith('Remote-'))
  return ['Remote*', ...renamed.flatMap((name) => [name, withUnderscores(name)])].map(
    (name) => `\t\trequest_header -${name}`,
  )
}

export const caddyConfiguration = ({ hosts, headers }: ProxiedSite, { latchkey, application }: Upstreams): string =>
  lines(
    `${hosts.join(', ')} {`,
    '\troute {',
    '\t\t# A visitor must not name themselves: these headers come from Latchkey alone.',
    caddyRemovals(headers),
    `\t\tforward_auth ${latchkey} {`,
    '\t\t\turi /api/authz/forward-auth',
    ...(headers.length === 0 ? [] : [`\t\t\tcopy_headers ${headers.join(' ')}`]),
    '\t\t}',
    `\t\treverse_proxy ${application}`,
    '\t}',
    '}',
    '',
  )

const variableOf = (name: string): string => `$latchkey_${withUnderscores(name).toLowerCase()}`

const nginxServer = (host: string, headers: readonly string[]): string => {
  const [name = host, port = '443'] = host.split(':')
  return lines(
    'server {',
    `    listen ${port} ssl http2;`,
    `    server_name ${name};`,
    `    ssl_certificate /etc/letsencrypt/live/${name}/fullchain.pem;`,
    `    ssl_certificate_key /etc/letsencrypt/live/${name}/privkey.pem;`,
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
    '    }',
    '',
    '    # The sign-in at this site.',
    '    location /.latchkey/ {',
    '        proxy_pass http://latchkey;',
    `        proxy_set_header X-Forwarded-Host ${host};`,
    '        proxy_set_header X-Forwarded-Proto https;',
    '        proxy_set_header X-Forwarded-For $remote_addr;',
    '    }',
    '',
    '    location / {',
    '        auth_request /.latchkey-auth;',
    '        auth_request_set $latchkey_redirect $upstream_http_x_redirect_to;',
    headers.map(
      (header) =>
        `        auth_request_set ${variableOf(header)} $upstream_http_${withUnderscores(header).toLowerCase()};`,
    ),
    '        error_page 401 = @latchkey_sign_in;',
    '        error_page 403 @latchkey_refused;',
    '',
    '        # These replace what a visitor sends under the same names.',
    headers.map((header) => `        proxy_set_header ${header} ${variableOf(header)};`),
    unusedNames(headers).map((name) => `        proxy_set_header ${name} "";`),
    `        proxy_set_header Host ${host};`,
    '        proxy_set_header X-Forwarded-For $remote_addr;',
    '        proxy_set_header X-Forwarded-Proto https;',
    '        proxy_set_header Upgrade $http_upgrade;',
    '        proxy_set_header Connection $latchkey_connection;',
    '        proxy_http_version 1.1;',
    '        proxy_buffering off;',
    `        proxy_pass http://${upstreamOf(host)};`,
    '    }',
    '',
    '    location @latchkey_sign_in {',
    '        if ($latchkey_redirect = "") {',
    '            return 401;',
    '        }',
    '        return 302 $latchkey_redirect;',
    '    }',
    '',
    '    # The page that says why.',
    '    location @latchkey_refused {',
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
    '    }',
    '}',
    '',
  )
}

const upstreamOf = (host: string): string => `site_${host.replaceAll(/[^a-z0-9]/g, '_')}`

export const nginxConfiguration = ({ hosts, headers }: ProxiedSite, { latchkey, application }: Upstreams): string =>
  lines(
    '# Once for all sites:',
    'upstream latchkey {',
    `    server ${latchkey};`,
    '}',
    'map $http_upgrade $latchkey_connection {',
    '    default upgrade;',
    "    '' '';",
    '}',
    '# Whoever asks for another name gets nothing.',
    'server {',
    '    listen 443 ssl http2 default_server;',
    '    ssl_reject_handshake on;',
    '    return 444;',
    '}',
    '',
    '# For this site:',
    hosts.flatMap((host) => [
      `upstream ${upstreamOf(host)} {`,
      `    server ${application};`,
      '}',
      nginxServer(host, headers),
    ]),
  )

/** A name for the parts of a configuration of Traefik. */
const partName = (host: string): string => host.replaceAll(/[^a-z0-9]+/g, '-')

export function traefikConfiguration({ hosts, headers }: ProxiedSite, { latchkey, application }: Upstreams): string {
  const name = partName(hosts[0] ?? 'site')
  const rule = hosts.map((host) => `Host(\`${host.split(':')[0]}\`)`).join(' || ')
  return lines(
    'http:',
    '  middlewares:',
    `    ${name}-clean:`,
    '      headers:',
    '        customRequestHeaders:',
    [...headers, ...unusedNames(headers)].map((name) => `          ${withUnderscores(name)}: ""`),
    unusedNames(headers).map((name) => `          ${name}: ""`),
    `    ${name}-latchkey:`,
    '      forwardAuth:',
    `        address: http://${latchkey}/api/authz/forward-auth`,
    '        trustForwardHeader: false',
    '        authResponseHeaders:',
    headers.map((header) => `          - ${header}`),
    '  routers:',
    `    ${name}:`,
    `      rule: ${rule}`,
    '      entryPoints:',
    '        - websecure',
    '      middlewares:',
    `        - ${name}-clean`,
    `        - ${name}-latchkey`,
    `      service: ${name}`,
    '      tls: {}',
    '  services:',
    `    ${name}:`,
    '      loadBalancer:',
    '        servers:',
    `          - url: http://${application}`,
    '',
  )
}
