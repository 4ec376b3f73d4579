import type { FastifyRequest } from 'fastify'
import { type Locate, type RequestSource, sourceOf } from '../../platform/http/request-source.ts'
import { type Locale, preferredLocale } from '../../vocabulary/locales.ts'
import { readBrowserTokens } from './known-browser-cookie.ts'

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
