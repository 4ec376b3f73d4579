import { lines, type ProxiedSite, renamed, type Upstreams } from './proxied-site.ts'

/** Headers of a visitor under our names are removed first, whatever Latchkey answers. */
const cleaning = (headers: readonly string[]): string[] => [
  '\t\t# A visitor must not name themselves: these headers come from Latchkey alone. Some applications read a name with underscores',
  '\t\t# or dots as the same.',
  '\t\trequest_header -Remote*',
  ...renamed(headers).map((name) => `\t\trequest_header -${name}`),
  '\t\trequest_header -*_*',
  '\t\trequest_header -*.*',
  '\t\t# Headers that Connection names are not passed on, so a visitor must not choose them.',
  '\t\t# Only WebSockets are upgrades: what is asked for in HTTP/2 over such a connection would pass unseen.',
  '\t\t@websocket header_regexp Upgrade (?i)^websocket$',
  '\t\t@other not header_regexp Upgrade (?i)^websocket$',
  '\t\trequest_header @other -Upgrade',
  '\t\trequest_header @other -Connection',
  '\t\trequest_header @websocket Upgrade websocket',
  '\t\trequest_header @websocket Connection Upgrade',
]

const siteBlock = (host: string, headers: readonly string[], { latchkey, application }: Upstreams): string =>
  lines(
    `${host} {`,
    '\troute {',
    cleaning(headers),
    `\t\tforward_auth ${latchkey} {`,
    '\t\t\turi /api/authz/forward-auth',
    '\t\t\t# The host is written out: a visitor may say another port.',
    `\t\t\theader_up X-Forwarded-Host ${host}`,
    ...(headers.length === 0 ? [] : [`\t\t\tcopy_headers ${headers.join(' ')}`]),
    '\t\t\ttransport http {',
    '\t\t\t\tdial_timeout 2s',
    '\t\t\t\tresponse_header_timeout 10s',
    '\t\t\t}',
    '\t\t}',
    `\t\treverse_proxy ${application} {`,
    `\t\t\theader_up Host ${host}`,
    `\t\t\theader_up X-Forwarded-Host ${host}`,
    '\t\t\ttransport http {',
    '\t\t\t\tdial_timeout 5s',
    '\t\t\t\tresponse_header_timeout 5m',
    '\t\t\t}',
    '\t\t}',
    '\t}',
    '}',
    '',
  )

export const caddyConfiguration = ({ hosts, headers }: ProxiedSite, upstreams: Upstreams): string =>
  hosts.map((host) => siteBlock(host, headers, upstreams)).join('\n')
