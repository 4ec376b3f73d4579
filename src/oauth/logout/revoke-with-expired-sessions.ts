import type { Database } from '../../storage/database.ts'
import { listExpiredSessions, markCodesOfExpiredSessionsRevoked } from './ended-session-store.ts'

const SESSIONS_PER_SLICE = 100

/** Where refresh tokens end with the session, revokes those of sessions that have expired, before the rows of the sessions go. */
export async function revokeWithExpiredSessions(db: Database, now: number, stop?: AbortSignal): Promise<void> {
  const isStopped = () => stop?.aborted === true
  let after = { id: '', expiresAt: 0 }
  while (!isStopped()) {
    const sessions = await listExpiredSessions(db.read, { now, after, limit: SESSIONS_PER_SLICE })
    const last = sessions.at(-1)
    if (!last) return
    await db.transaction((trx) => markCodesOfExpiredSessionsRevoked(trx, sessions, now))
    after = last
  }
}
