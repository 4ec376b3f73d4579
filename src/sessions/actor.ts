import type { FastifyRequest } from 'fastify'
import type { Permission } from '../access/permissions.ts'
import type { Actor } from '../audit/record-event.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import type { Services } from '../services.ts'

/** A signed-in person who asks for a change: for the audit trail, and for the check in the transaction of the change. */
export interface SignedInActor extends Actor {
  id: string
  email: string
  caller: Caller
  sessionId: string
  /** What the route needs, besides a session. */
  permission: Permission | null
}

export const actorOf = ({ locate }: Pick<Services, 'locate'>, request: FastifyRequest): SignedInActor => {
  const { user, session, permission } = request.signedIn
  return { id: user.id, email: user.email, caller: callerOf(locate, request), sessionId: session.id, permission }
}
