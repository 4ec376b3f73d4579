import type { FastifyReply, FastifyRequest } from 'fastify'

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
