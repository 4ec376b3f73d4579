import type { FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'

/** Every cookie of ours: not readable by scripts, and sent from other sites only when a link is followed. */
export const COOKIE_ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Lax'

/**
 * A name with this prefix is taken by browsers from this very host alone, over https (RFC 6265bis section 4.1.3.2). Any
 * other name can be set by a sibling domain too.
 */
export const HOST_PREFIX = '__Host-'

export const takesHostCookies = ({ dashboardOrigin }: Pick<Config, 'dashboardOrigin'>): boolean =>
  dashboardOrigin.startsWith('https:')

/** Every value that came under this name. Browsers send one for each domain and path that set it. */
export function cookieValues({ headers }: FastifyRequest, name: string): string[] {
  const values: string[] = []
  for (const pair of headers.cookie?.split(';') ?? []) {
    const text = pair.trim()
    if (text.startsWith(name) && text[name.length] === '=') values.push(text.slice(name.length + 1))
  }
  return values
}
