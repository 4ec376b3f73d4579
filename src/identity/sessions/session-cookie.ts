import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../platform/config/config.ts'
import { COOKIE_ATTRIBUTES, cookieValues, HOST_PREFIX, takesHostCookies } from '../../platform/http/credentials.ts'

const NAME = 'session'
const HOST_NAME = `${HOST_PREFIX}${NAME}`
const VALUE = /^[A-Za-z0-9_-]{43}$/

type DashboardConfig = Pick<Config, 'dashboardOrigin'>

/**
 * `undefined` when there is none, or its format is not ours. A page on a sibling domain can add a cookie of the same name,
 * so two that differ count as none. The `__Host-` cookie, which such a page can't set, wins where there is one.
 */
export function readSessionCookie(config: DashboardConfig, request: FastifyRequest): string | undefined {
  const trusted = takesHostCookies(config) ? cookieValues(request, HOST_NAME) : []
  const [value = '', ...others] = trusted.length > 0 ? trusted : cookieValues(request, NAME)
  return VALUE.test(value) && others.every((other) => other === value) ? value : undefined
}

/** Without `maxAge` (seconds) the browser forgets it when it closes. */
export function setSessionCookie(config: DashboardConfig, reply: FastifyReply, token: string, maxAge?: number): void {
  const lifetime = maxAge === undefined ? '' : `; Max-Age=${maxAge}`
  for (const name of namesFor(config)) {
    reply.header('set-cookie', `${name}=${token}; ${COOKIE_ATTRIBUTES}${lifetime}`)
  }
}

export function clearSessionCookie(config: DashboardConfig, reply: FastifyReply): void {
  for (const name of namesFor(config)) reply.header('set-cookie', `${name}=; ${COOKIE_ATTRIBUTES}; Max-Age=0`)
}

const namesFor = (config: DashboardConfig): string[] => (takesHostCookies(config) ? [NAME, HOST_NAME] : [NAME])
