import type { ClientBase } from 'pg'
import type { createClockDifference } from './clock-difference.ts'
import type { Abandoned } from './postgres-abandoned.ts'
import { listSessions, READ_ONLY_TEXT, refuseReadOnly } from './postgres-session.ts'

interface Watched {
  clock: ReturnType<typeof createClockDifference>
  abandoned: Abandoned
  systemNow: () => number
}

const STATE = `select ${READ_ONLY_TEXT} as "isReadOnly", extract(epoch from clock_timestamp())::float8 * 1000 as now`

/** Looks, now and then, at what no request asks for: the clock of the database, and which sessions it has. */
export const createWatch =
  ({ clock, abandoned, systemNow }: Watched) =>
  async (client: ClientBase): Promise<void> => {
    const sentAt = systemNow()
    const { rows } = await client.query<{ isReadOnly: boolean; now: number }>(STATE)
    const [state] = rows
    refuseReadOnly(state)
    if (state) clock.note({ sentAt, answeredAt: systemNow(), databaseNow: state.now })
    await abandoned.closeUnknown(() => listSessions(client))
  }
