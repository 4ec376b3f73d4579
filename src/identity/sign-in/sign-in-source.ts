import type { FastifyRequest, FastifyReply } from 'fastify'
import type { Config } from '../../platform/config/config.ts'
import { COOKIE_ATTRIBUTES, cookieValues, HOST_PREFIX, takesHostCookies } from '../../platform/http/credentials.ts'
import { sourceOf, type Locate, type RequestSource } from '../../platform/http/request-source.ts'
import { preferredLocale, type Locale } from '../../vocabulary/locales.ts'
import { setSessionCookie } from '../sessions/session-cookie.ts'
import type { SignedInSession } from '../sessions/start-session.ts'

/** Where a sign-in comes from, with the tokens that prove that the browser has signed in before. */
export interface SignInSource extends RequestSource {
  /** Secret: never logged or stored. */
  browserTokens: string[]
  /** By the browser's Accept-Language. */
  locale: Locale | undefined
}

export const signInSourceOf = (locate: Locate, request: FastifyRequest): SignInSource => ({
  ...sourceOf(locate, request),
  browserTokens: readBrowserTokens(request),
  locale: preferredLocale(request.headers['accept-language']),
})

/** A browser is known for a year after each sign-in. */
export const KNOWN_BROWSER_MS = 365 * 24 * 3_600_000

const NAME = 'known_browser'
const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** Several people may use one browser. Beyond this, the account that signed in longest ago is dropped. */
export const MAX_BROWSER_TOKENS = 8

/** The tokens that this browser holds, one for each account that it has signed in to, the latest first. */
const readBrowserTokens = (request: FastifyRequest): string[] => {
  const values = [...cookieValues(request, HOST_PREFIX + NAME), ...cookieValues(request, NAME)]
  const tokens = values.flatMap((value) => value.split('.')).filter((token) => TOKEN.test(token))
  return [...new Set(tokens)].slice(0, MAX_BROWSER_TOKENS)
}

function setBrowserTokens(
  config: Pick<Config, 'dashboardOrigin'>,
  reply: FastifyReply,
  tokens: string[],
  maxAge: number,
): void {
  const name = takesHostCookies(config) ? HOST_PREFIX + NAME : NAME
  reply.header('set-cookie', `${name}=${tokens.join('.')}; ${COOKIE_ATTRIBUTES}; Max-Age=${maxAge}`)
}

type DashboardConfig = Pick<Config, 'dashboardOrigin'>

/** The cookies that every sign-in sets: the session, and the tokens of the known browser. */
export function setSignInCookies(config: DashboardConfig, reply: FastifyReply, session: SignedInSession): void {
  setSessionCookie(config, reply, session.token, session.maxAge)
  setKnownBrowserCookie(config, reply, session.browserTokens)
}

export const setKnownBrowserCookie = (config: DashboardConfig, reply: FastifyReply, tokens: string[]): void =>
  setBrowserTokens(config, reply, tokens, KNOWN_BROWSER_MS / 1000)
