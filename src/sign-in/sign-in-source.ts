import type { FastifyRequest } from 'fastify'
import { type Locate, type RequestSource, sourceOf } from '../http/request-source.ts'
import { readBrowserTokens } from './known-browser-cookie.ts'

/** Where a sign-in comes from, with the tokens that prove that the browser has signed in before. */
export interface SignInSource extends RequestSource {
  /** Secret: never logged or stored. */
  browserTokens: string[]
}

export const signInSourceOf = (locate: Locate, request: FastifyRequest): SignInSource => ({
  ...sourceOf(locate, request),
  browserTokens: readBrowserTokens(request),
})
