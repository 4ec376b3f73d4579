import type { Actor } from '../audit/record-event.ts'
import { type RequestSource, sourceOf } from '../http/request-source.ts'
import type { Services } from '../services.ts'
import type { Permission } from '../vocabulary/permissions.ts'
import type { GuardedRequest } from './guards.ts'

/** The signed-in person who makes a change: for the audit trail, and for the check in the transaction of the change. */
export interface SignedInActor extends Actor {
  id: string
  email: string
  source: RequestSource
  sessionId: string
  /** The permission that the route requires besides a session. */
  permission: Permission | null
}

export const actorOf = ({ locate }: Pick<Services, 'locate'>, request: GuardedRequest): SignedInActor => {
  const { user, session, permission } = request.signedIn
  return { id: user.id, email: user.email, source: sourceOf(locate, request), sessionId: session.id, permission }
}
