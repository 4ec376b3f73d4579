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

export const lines = (...parts: (string | readonly string[])[]): string => parts.flat().join('\n')

/** The name of a host and its port, that of https where none is written. */
export function partsOf(host: string): { name: string; port: string } {
  const [name = host, port = '443'] = host.split(':')
  return { name, port }
}

/** The ports of a site, each once. */
export const portsOf = (hosts: readonly string[]): string[] => [...new Set(hosts.map((host) => partsOf(host).port))]

/** Which headers of a visitor Latchkey is told: the part that the scripts have in common. */
export const PASSED_IN_LUA = `local PASSED = {
    "accept", "accept-language", "authorization", "cookie", "origin", "referer", "sec-fetch-mode", "sec-fetch-site",
    "user-agent", "x-requested-with",
}`

/** The names that a visitor's headers must not have although this site calls them otherwise, or leaves them out. */
export const unusedNames = (headers: readonly string[]): string[] => {
  const used = new Set(headers.map((name) => name.toLowerCase()))
  return Object.values(DEFAULT_HEADERS).filter((name) => !used.has(name.toLowerCase()))
}

/** The names of this site that are not below `Remote-`, which is removed as a whole. */
export const renamed = (headers: readonly string[]): string[] => headers.filter((name) => !/^remote-/i.test(name))
