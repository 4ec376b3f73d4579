import type { Reader } from '../../storage/database.ts'
import { readStatement } from '../../storage/statement.ts'
import { accountMayAct } from '../users/account-standing.ts'
import { sessionLives } from './session-store.ts'
import { IDLE_MS } from './session.ts'

/** Ids in one statement. A fixed number makes it one prepared statement. */
const IDS_PER_STATEMENT = 100
const SLOTS = Array.from({ length: IDS_PER_STATEMENT }, (_, index) => `id${index}`)

const live = readStatement<Record<string, string | number>, { id: string }>((db, value) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select('sessions.id')
    .where(
      'sessions.id',
      'in',
      SLOTS.map((slot) => value(slot) as string),
    )
    .where(sessionLives(value('now') as number, value('idleSince') as number))
    .where(accountMayAct),
)

/** Those of these sessions that are live and whose account may act. */
export async function listLiveSessions(db: Reader, ids: string[], now: number): Promise<Set<string>> {
  const found = new Set<string>()
  for (let from = 0; from < ids.length; from += IDS_PER_STATEMENT) {
    const slots = SLOTS.map((slot, index) => [slot, ids[from + index] ?? ''] as const)
    const rows = await live(db, { ...Object.fromEntries(slots), now, idleSince: now - IDLE_MS })
    for (const { id } of rows) found.add(id)
  }
  return found
}
