import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'

/** Pages of ours: their own scripts and nothing of anybody else's, in nobody's frame. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** Answers that are no pages: if one is ever shown as a page, it can do nothing. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** What stands on every answer, made once. `frame-ancestors` is what browsers go by; a second header for it would be idle. */
export const securityHeaders = ({ baseUrl }: Pick<Config, 'baseUrl'>): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  'content-security-policy': DATA_POLICY,
  ...(baseUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
})

/** Where people go on to somewhere else, by a link or a redirect, nobody is told where they came from. */
export const NO_REFERRER = { 'referrer-policy': 'no-referrer' }

/** What is personal is never kept by a cache. */
export const NOT_CACHED = { 'cache-control': 'no-store' }

/** Every answer names its request, and carries these. */
export const stamp = (request: FastifyRequest, reply: FastifyReply, headers: Record<string, string>): FastifyReply =>
  reply.headers(headers).header('x-request-id', request.id)

/** Once for each part of the service, since every hook costs every request: the part's own headers come with those of all. */
export function addHeaders(part: FastifyInstance, headers: Record<string, string>): void {
  part.addHook('onRequest', (request, reply, done) => {
    stamp(request, reply, headers)
    done()
  })
}
