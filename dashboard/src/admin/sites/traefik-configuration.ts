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

/** Each port is an entry point of its own; that of 443 has the name that Traefik's documentation gives it. */
function entryPointOf(host: string): string {
  const { port } = partsOf(host)
  return port === '443' ? 'websecure' : `websecure-${port}`
}

export function traefikConfiguration({ hosts, headers }: ProxiedSite, { latchkey, application }: Upstreams): string {
  const site = partName(hosts[0] ?? 'site')
  const removed = [...[...headers, ...unusedNames(headers)].flatMap(otherSpellings), ...unusedNames(headers)]
  return lines(
    'http:',
    '  middlewares:',
    hosts.flatMap((host) => [
      `    ${partName(host)}-clean:`,
      '      headers:',
      '        customRequestHeaders:',
      '          # The host is written out: a visitor may say another port.',
      `          Host: ${host}`,
      `          X-Forwarded-Host: ${host}`,
      ...removed.map((each) => `          ${each}: ""`),
    ]),
    `    ${site}-latchkey:`,
    '      forwardAuth:',
    `        address: http://${latchkey}/api/authz/forward-auth`,
    '        trustForwardHeader: false',
    '        authResponseHeaders:',
    headers.map((header) => `          - ${header}`),
    '  routers:',
    hosts.flatMap((host) => [
      `    ${partName(host)}:`,
      `      rule: Host(\`${partsOf(host).name}\`)`,
      '      entryPoints:',
      `        - ${entryPointOf(host)}`,
      '      middlewares:',
      `        - ${partName(host)}-clean`,
      `        - ${site}-latchkey`,
      `      service: ${site}`,
      '      tls: {}',
    ]),
    '  services:',
    `    ${site}:`,
    '      loadBalancer:',
    `        serversTransport: ${site}`,
    '        servers:',
    `          - url: http://${application}`,
    '  serversTransports:',
    `    ${site}:`,
    '      forwardingTimeouts:',
    '        dialTimeout: 5s',
    '        responseHeaderTimeout: 5m',
    '',
  )
}
