import { lines, partsOf, type ProxiedSite, unusedNames, type Upstreams } from './proxied-site.ts'

/** A name for the parts of a configuration. No two hosts get one name: a dot never stands beside a dot or a hyphen. */
const partName = (host: string): string => host.replaceAll('-', '--').replaceAll('.', '-').replace(':', '_')

/** More hyphens than names of headers have. Of a name with more, the spelling with underscores alone is removed. */
const MAX_HYPHENS = 4

/** Every other way to write a name, with underscores or dots in place of some hyphens: applications may read them as the same. */
function otherSpellings(name: string): string[] {
  const [first = '', ...others] = name.split('-')
  if (others.length > MAX_HYPHENS) return [name.replaceAll('-', '_')]
  const all = others.reduce(
    (found, part) => found.flatMap((each) => [`${each}-${part}`, `${each}_${part}`, `${each}.${part}`]),
    [first],
  )
  return all.filter((each) => each !== name)
}

export function traefikConfiguration({ hosts, headers }: ProxiedSite, { latchkey, application }: Upstreams): string {
  const name = partName(hosts[0] ?? 'site')
  const rule = hosts.map((host) => `Host(\`${partsOf(host).name}\`)`).join(' || ')
  const removed = [...[...headers, ...unusedNames(headers)].flatMap(otherSpellings), ...unusedNames(headers)]
  return lines(
    'http:',
    '  middlewares:',
    `    ${name}-clean:`,
    '      headers:',
    '        customRequestHeaders:',
    removed.map((each) => `          ${each}: ""`),
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
    `        serversTransport: ${name}`,
    '        servers:',
    `          - url: http://${application}`,
    '  serversTransports:',
    `    ${name}:`,
    '      forwardingTimeouts:',
    '        dialTimeout: 5s',
    '        responseHeaderTimeout: 5m',
    '',
  )
}
