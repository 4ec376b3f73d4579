import type { Services } from '../services.ts'
import type { Db } from '../storage/schema.ts'
import { deleteSession, deleteSessions } from './session-store.ts'

/** Ends all sessions of a user but the one to keep, and the streams that hang on them, on every copy. Says how many. */
export async function endSessions(
  { signals }: Pick<Services, 'signals'>,
  db: Db,
  userId: string,
  keepId?: string,
): Promise<number> {
  const ended = await deleteSessions(db, userId, keepId)
  if (ended.length > 0) await signals.emit(db, 'sessions-ended', { userId })
  return ended.length
}

/** Ends one session. False when that user has none of that id. */
export async function endSession(
  { signals }: Pick<Services, 'signals'>,
  db: Db,
  userId: string,
  id: string,
): Promise<boolean> {
  const ended = await deleteSession(db, userId, id)
  if (ended) await signals.emit(db, 'sessions-ended', { userId })
  return ended
}
