import type { FastifyReply } from 'fastify'
import type { Config } from '../../platform/config/config.ts'
import { setSessionCookie } from '../sessions/session-cookie.ts'
import type { SignedInSession } from '../sessions/start-session.ts'
import { setBrowserTokens } from './known-browser-cookie.ts'
import { KNOWN_BROWSER_MAX_AGE } from './remember-browser.ts'

type DashboardConfig = Pick<Config, 'dashboardOrigin'>

/** The cookies that every sign-in sets: the session, and the tokens of the known browser. */
export function setSignInCookies(config: DashboardConfig, reply: FastifyReply, session: SignedInSession): void {
  setSessionCookie(config, reply, session.token, session.maxAge)
  setKnownBrowserCookie(config, reply, session.browserTokens)
}

export const setKnownBrowserCookie = (config: DashboardConfig, reply: FastifyReply, tokens: string[]): void =>
  setBrowserTokens(config, reply, tokens, KNOWN_BROWSER_MAX_AGE)
