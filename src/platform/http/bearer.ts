import type { FastifyRequest } from 'fastify'

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/** The token of the Authorization header (RFC 6750 section 2.1). */
export const readBearer = ({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined =>
  BEARER.exec(headers.authorization ?? '')?.[1]

/** Whether a request carries a token, well-formed or not. Then its cookies do not count. */
export const hasBearer = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  /^Bearer\b/i.test(headers.authorization ?? '')
