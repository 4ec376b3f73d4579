import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../platform/config/config.ts'
import { COOKIE_ATTRIBUTES, cookieValues, HOST_PREFIX, takesHostCookies } from '../../platform/http/credentials.ts'

const NAME = 'known_browser'
const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** Several people may use one browser. Beyond this, the account that signed in longest ago is dropped. */
export const MAX_BROWSER_TOKENS = 8

/** The tokens that this browser holds, one for each account that it has signed in to, the latest first. */
export const readBrowserTokens = (request: FastifyRequest): string[] => {
  const values = [...cookieValues(request, HOST_PREFIX + NAME), ...cookieValues(request, NAME)]
  const tokens = values.flatMap((value) => value.split('.')).filter((token) => TOKEN.test(token))
  return [...new Set(tokens)].slice(0, MAX_BROWSER_TOKENS)
}

export function setBrowserTokens(
  config: Pick<Config, 'dashboardOrigin'>,
  reply: FastifyReply,
  tokens: string[],
  maxAge: number,
): void {
  const name = takesHostCookies(config) ? HOST_PREFIX + NAME : NAME
  reply.header('set-cookie', `${name}=${tokens.join('.')}; ${COOKIE_ATTRIBUTES}; Max-Age=${maxAge}`)
}
