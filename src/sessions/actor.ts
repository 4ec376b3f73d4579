import type { FastifyRequest } from 'fastify'
import type { Actor } from '../audit/record-event.ts'
import { callerOf } from '../http/caller.ts'
import type { Services } from '../services.ts'

/** The signed-in person behind a request, for the audit trail. */
export const actorOf = ({ locate }: Pick<Services, 'locate'>, request: FastifyRequest): Actor => ({
  id: request.signedIn.user.id,
  email: request.signedIn.user.email,
  caller: callerOf(locate, request),
})
