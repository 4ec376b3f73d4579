import type { FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/** The token of the Authorization header (RFC 6750 section 2.1). */
export const readBearer = ({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined =>
  BEARER.exec(headers.authorization ?? '')?.[1]

/** Whether a request carries a token, well-formed or not. Then its cookies do not count. */
export const hasBearer = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  /^Bearer\b/i.test(headers.authorization ?? '')

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
