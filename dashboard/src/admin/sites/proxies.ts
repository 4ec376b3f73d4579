import { APACHE_SCRIPT, apacheConfiguration } from './apache-configuration.ts'
import { caddyConfiguration } from './caddy-configuration.ts'
import { HAPROXY_SCRIPT, haproxyConfiguration } from './haproxy-configuration.ts'
import { nginxConfiguration } from './nginx-configuration.ts'
import type { ProxiedSite, Upstreams } from './proxied-site.ts'
import { traefikConfiguration } from './traefik-configuration.ts'

interface Proxy {
  /** What to add to the configuration of the proxy for a site. */
  configure(site: ProxiedSite, upstreams: Upstreams): string
  /** A file that the configuration needs and that is the same for all sites. */
  script?: { name: string; text: string }
}

/** The proxies that there are ready configurations for. */
export const PROXIES = {
  Caddy: { configure: caddyConfiguration },
  nginx: { configure: nginxConfiguration },
  Traefik: { configure: traefikConfiguration },
  HAProxy: { configure: haproxyConfiguration, script: { name: 'latchkey.lua', text: HAPROXY_SCRIPT } },
  Apache: { configure: apacheConfiguration, script: { name: 'latchkey.lua', text: APACHE_SCRIPT } },
} as const satisfies Record<string, Proxy>
export type ProxyName = keyof typeof PROXIES
