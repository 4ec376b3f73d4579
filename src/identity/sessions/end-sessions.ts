import { refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { RequestSource } from '../../platform/http/request-source.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { emitForUsers } from '../../storage/signals.ts'
import { type IdentityServices, publish, type SessionEnd, type SignedOutBy } from '../access-events.ts'
import { lockUser } from '../users/lock-user.ts'
import type { SignedInActor } from './actor.ts'
import { changeOwnAccount } from './lock-actor.ts'
import { sessionErrors } from './session-errors.ts'
import { deleteSession, deleteSessions, deleteSessionsOfUsers, type EndedSession } from './session-store.ts'
import type { SignedIn } from './session.ts'

type EndServices = Pick<IdentityServices, 'now' | 'signals' | 'accessSubscribers'>
type SessionServices = EndServices & Pick<Services, 'db'>

/** Ends the session that the request came with. Doing it again changes nothing. */
export const signOut = (
  services: SessionServices,
  { user, session }: Pick<SignedIn, 'user' | 'session'>,
  source: RequestSource,
  way: Extract<SessionEnd, 'signed_out' | 'signed_out_by_application' | 'replaced_by_sign_in'>,
  /** The application that requested it, or the user who signed in instead. */
  by?: string,
): Promise<void> =>
  services.db.transaction(async (trx) => {
    await lockUser(trx, user.id)
    if (!(await endSession(services, trx, { userId: user.id, id: session.id, way }))) return
    await recordEvent(services, trx, {
      action: 'session.ended',
      outcome: 'success',
      actor: { id: user.id, email: user.email, source },
      target: { type: 'session', id: session.id },
      data: by === undefined ? {} : { by },
    })
  })

/** Ends one of the actor's sessions, this one or another. */
export const revokeSession = (services: SessionServices, actor: SignedInActor, id: string): Promise<void> =>
  changeOwnAccount(services, actor, async (trx) => {
    const ended = await endSession(services, trx, { userId: actor.id, id, way: 'session_ended_by_owner' })
    if (!ended) refuse(sessionErrors.no_such_session())
    await recordEvent(services, trx, {
      action: 'session.revoked',
      outcome: 'success',
      actor,
      target: { type: 'session', id },
    })
  })

/** Ends all sessions of the actor but the current one. */
export const revokeOtherSessions = (services: SessionServices, actor: SignedInActor): Promise<void> =>
  changeOwnAccount(services, actor, async (trx) => {
    const ended = await endSessions(services, trx, {
      userId: actor.id,
      keepId: actor.sessionId,
      way: 'other_sessions_ended',
    })
    await recordEvent(services, trx, {
      action: 'session.others_revoked',
      outcome: 'success',
      actor,
      target: { type: 'user', id: actor.id },
      data: { ended },
    })
  })

/**
 * Ends all sessions of a user but the one to keep, with their streams on every replica. Returns how many. Where all of a person's access
 * ends, the event `signed_out` says so, and these sessions are not told one by one.
 */
export async function endSessions(
  services: EndServices,
  trx: Trx,
  { userId, keepId, way }: { userId: string; keepId?: string | undefined; way: 'other_sessions_ended' | SignedOutBy },
): Promise<number> {
  const sessionIds = await deleteSessions(trx, userId, keepId)
  if (sessionIds.length === 0) return 0
  await services.signals.emit(trx, 'sessions-ended', { userIds: [userId] })
  if (way === 'other_sessions_ended') await publish(services, trx, 'sessions_ended', { userId, sessionIds, by: way })
  return sessionIds.length
}

/** Ends one session. Undefined when that user has none of that id. */
export async function endSession(
  services: EndServices,
  trx: Trx,
  { userId, id, way }: { userId: string; id: string; way: Exclude<SessionEnd, 'other_sessions_ended'> },
): Promise<EndedSession | undefined> {
  const ended = await deleteSession(trx, userId, id)
  if (!ended) return undefined
  await services.signals.emit(trx, 'sessions-ended', { userIds: [userId] })
  await publish(services, trx, 'sessions_ended', { userId, sessionIds: [id], by: way })
  return ended
}

/** Ends every session of several users. Returns how many live ones there were, for each user that had any. */
export async function endSessionsOfUsers(
  { now, signals }: Pick<Services, 'now' | 'signals'>,
  trx: Trx,
  userIds: string[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const ended = await deleteSessionsOfUsers(trx, userIds, now())
  for (const { userId, lived } of ended) if (lived) counts.set(userId, (counts.get(userId) ?? 0) + 1)
  await emitForUsers(signals, trx, 'sessions-ended', [...new Set(ended.map(({ userId }) => userId))])
  return counts
}
