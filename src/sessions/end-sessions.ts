import type { Services } from '../services.ts'
import type { Trx } from '../storage/database.ts'
import { emitForUsers } from '../storage/signals.ts'
import { deleteSession, deleteSessions, deleteSessionsOfUsers } from './session-store.ts'

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

/** Ends one session. False when that user has none of that id. */
export async function endSession(
  { signals }: Pick<Services, 'signals'>,
  trx: Trx,
  userId: string,
  id: string,
): Promise<boolean> {
  const ended = await deleteSession(trx, userId, id)
  if (ended) await signals.emit(trx, 'sessions-ended', { userIds: [userId] })
  return ended
}

/** Ends every session of several users. Returns how many, for each user that had any. */
export async function endSessionsOfUsers(
  { signals }: Pick<Services, 'signals'>,
  trx: Trx,
  userIds: string[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const owner of await deleteSessionsOfUsers(trx, userIds)) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  await emitForUsers(signals, trx, 'sessions-ended', [...counts.keys()])
  return counts
}
