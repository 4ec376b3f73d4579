import type { FastifyReply, FastifyRequest } from 'fastify'

const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Lax'
const VALUE = /(?:^|;\s*)session=([A-Za-z0-9_-]{43})(?:;|$)/

/** `undefined` when there is none, or one of a shape that we never gave out. */
export const readSessionCookie = (request: FastifyRequest): string | undefined =>
  VALUE.exec(request.headers.cookie ?? '')?.[1]

/** Without `maxAge` (seconds) the browser forgets it when it closes. */
export function setSessionCookie(reply: FastifyReply, token: string, maxAge?: number): void {
  const lifetime = maxAge === undefined ? '' : `; Max-Age=${maxAge}`
  reply.header('set-cookie', `session=${token}; ${ATTRIBUTES}${lifetime}`)
}

export function clearSessionCookie(reply: FastifyReply): void {
  reply.header('set-cookie', `session=; ${ATTRIBUTES}; Max-Age=0`)
}
