import type { FastifyRequest } from 'fastify'
import type { Actor } from '../../platform/audit/record-event.ts'
import type { Lesser } from '../../platform/http/contracts.ts'
import { type RequestSource, sourceOf } from '../../platform/http/request-source.ts'
import type { Services } from '../../platform/services.ts'
import type { Permission } from '../../vocabulary/permissions.ts'
import type { GuardedRequest } from './guards.ts'
import type { BearerToken, Caller } from './session.ts'

/** The person who makes a change: for the audit trail, and for the check in the transaction of the change. */
interface Person extends Actor {
  id: string
  email: string
  source: RequestSource
  /** The permission that the route requires besides a session. */
  permission: Permission | null
}

export interface SignedInActor extends Person {
  sessionId: string
  /** When it was last proved who has the session. */
  provedAt: number | null
  /** What the route lets a session do that is less than a role of its owner demands; undefined where the session is enough. */
  lesser?: Lesser | undefined
}

/** The same, by a session or by an access token. */
export type CallingActor = SignedInActor | (Person & { token: BearerToken })

export const actorOf = ({ locate }: Pick<Services, 'locate'>, request: GuardedRequest): SignedInActor => {
  const { user, session, permission } = request.signedIn
  const { id: sessionId, provedAt } = session
  const { lesser } = request.signedIn
  return { id: user.id, email: user.email, source: sourceOf(locate, request), sessionId, provedAt, permission, lesser }
}

export function callerOf(
  { locate }: Pick<Services, 'locate'>,
  request: FastifyRequest & { signedIn: Caller },
): CallingActor {
  const { signedIn } = request
  const { user, permission } = signedIn
  const person = { id: user.id, email: user.email, source: sourceOf(locate, request), permission }
  if ('token' in signedIn) return { ...person, token: signedIn.token }
  const { id: sessionId, provedAt } = signedIn.session
  return { ...person, sessionId, provedAt, lesser: signedIn.lesser }
}
