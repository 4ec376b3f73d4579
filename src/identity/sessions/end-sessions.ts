import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { emitForUsers } from '../../storage/signals.ts'
import { deleteSession, deleteSessions, deleteSessionsOfUsers, type EndedSession } from './session-store.ts'

/** Ends all sessions of a user but the one to keep, with their streams on every replica. Returns how many. */
export async function endSessions(
  { signals }: Pick<Services, 'signals'>,
  trx: Trx,
  userId: string,
  keepId?: string,
): Promise<number> {
  const ended = await deleteSessions(trx, userId, keepId)
  if (ended.length > 0) await signals.emit(trx, 'sessions-ended', { userIds: [userId] })
  return ended.length
}

/** Ends one session. Undefined when that user has none of that id. */
export async function endSession(
  { signals }: Pick<Services, 'signals'>,
  trx: Trx,
  userId: string,
  id: string,
): Promise<EndedSession | undefined> {
  const ended = await deleteSession(trx, userId, id)
  if (ended) await signals.emit(trx, 'sessions-ended', { userIds: [userId] })
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
