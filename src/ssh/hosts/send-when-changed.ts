import type { FastifyReply, FastifyRequest } from 'fastify'
import { bareTag, type Tagged, type Waits } from './waits.ts'

interface Waiting<T extends Tagged> {
  key: string
  read(): Promise<T>
  /** The ETag that the host has. */
  wait: string
  /** Whether the request carries the token of a host. */
  isKnown: boolean
  /** Refuses what must not be answered any more. */
  recheck?(): Promise<unknown>
}

/** Holds a request until what it asks for has changed, and answers with it, or with 304. */
export async function sendWhenChanged<T extends Tagged>(
  waits: Waits,
  request: FastifyRequest,
  reply: FastifyReply,
  { key, read, wait, isKnown, recheck }: Waiting<T>,
  bodyOf: (current: T) => Buffer | string,
): Promise<FastifyReply> {
  const current = await waits.hold({
    key,
    read,
    etag: bareTag(wait),
    address: isKnown ? undefined : request.ip,
    onGone: (gone) => reply.raw.once('close', gone),
  })
  // The client has gone, so there is nothing to send.
  if (!current) return reply.hijack()
  await recheck?.()
  void reply.header('etag', current.etag)
  return bareTag(current.etag) === bareTag(wait) ? reply.code(304).send() : reply.send(bodyOf(current))
}
