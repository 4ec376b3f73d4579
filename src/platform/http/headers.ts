import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'

/** Our pages: only their own scripts, styles and images, and never in a frame. */
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

/** Answers that are no pages: if a browser shows one as a page, it can load and run nothing. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** Headers of every answer, made once. Browsers use `frame-ancestors`, so X-Frame-Options would add nothing. */
export const securityHeaders = ({ baseUrl }: Pick<Config, 'baseUrl'>): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  'content-security-policy': DATA_POLICY,
  ...(baseUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
})

/** For pages that lead to other sites, by a link or a redirect: those sites do not learn the URL of the page. */
export const NO_REFERRER = { 'referrer-policy': 'no-referrer' }

/** Personal answers are not cached. */
export const NOT_CACHED = { 'cache-control': 'no-store' }

/** Every answer has its request's id, and these headers. */
export const setCommonHeaders = (
  request: FastifyRequest,
  reply: FastifyReply,
  headers: Record<string, string>,
): FastifyReply => reply.headers(headers).header('x-request-id', request.id)

/** One hook for each group of routes, since every hook costs every request: it sets the headers of the group and the common ones. */
export function addHeaders(part: FastifyInstance, headers: Record<string, string>): void {
  part.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply, headers)
    done()
  })
}

/** RFC 9110 §13.1.2: entity tags are compared weakly here, and `*` matches every version. */
function isNotModified(request: FastifyRequest, etag: string): boolean {
  const known = request.headers['if-none-match']
  if (known === undefined) return false
  const opaque = etag.replace(/^W\//, '')
  return known.trim() === '*' || known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === opaque)
}

/** Sends the body, or 304 to a client that has it already. */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, etag: string, body: Buffer | string) {
  void reply.header('etag', etag)
  return isNotModified(request, etag) ? reply.code(304).send() : reply.send(body)
}

/** A strong one: the same bytes have the same tag on every replica. */
export const tagOfText = (text: string): string => `"${hash('sha256', text, 'base64url').slice(0, 22)}"`

/** Text that anybody may read and that seldom changes. */
export function sendPublicText(request: FastifyRequest, reply: FastifyReply, text: string) {
  reply.type('text/plain; charset=utf-8').header('cache-control', 'public, max-age=300')
  return sendTagged(request, reply, tagOfText(text), text)
}
