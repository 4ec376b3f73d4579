import { sql } from 'kysely'
import type { Reader } from '../storage/database.ts'

export interface QueueCounts {
  /** Mails that wait to be sent. */
  mail: number
  /** Planned lifecycle actions that are still to be carried out. */
  pending: number
}

export async function countQueued(db: Reader): Promise<QueueCounts> {
  const row = await db
    .selectNoFrom(({ selectFrom }) => [
      selectFrom('outgoing_mail')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('mail'),
      selectFrom('lifecycle_actions')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where(sql<boolean>`status in ('pending', 'running')`)
        .as('pending'),
    ])
    .executeTakeFirstOrThrow()
  return { mail: row.mail ?? 0, pending: row.pending ?? 0 }
}
