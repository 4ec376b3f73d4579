import type { FastifyRequest } from 'fastify'
import { type Locate, type RequestSource, sourceOf } from '../../platform/http/request-source.ts'
import type { Parameters } from '../parameters.ts'

/** A request of a client to an endpoint that authenticates it. */
export interface ClientRequest {
  url: string
  authorization: string | undefined
  form: Parameters
  /** A function, because most requests never need it and it may look up the location of the address. */
  source: () => RequestSource
}

export const readClientRequest = (locate: Locate, request: FastifyRequest): ClientRequest => ({
  url: request.url,
  authorization: request.headers.authorization,
  form: request.body as Parameters,
  source: () => sourceOf(locate, request),
})
