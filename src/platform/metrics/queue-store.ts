import { sql } from 'kysely'
import type { Reader } from '../../storage/database.ts'

export interface QueueCounts {
  /** Mails that wait to be sent. */
  mail: number
  /** When the oldest of them was queued. */
  oldestMailAt: number | undefined
  /** Planned lifecycle actions that are still to be carried out. */
  pending: number
  /** Actions that could not be carried out. */
  failed: number
  /** What receivers outside are still to be told, and since when. Not what they fetch themselves. */
  deliveries: number
  oldestDeliveryAt: number | undefined
  /** When the job that has waited longest should have run. */
  nextJobAt: number | undefined
}

/** Of the jobs only those that this version has: an earlier one may have left others behind. */
export async function countQueued(db: Reader, jobs: readonly string[] | undefined): Promise<QueueCounts> {
  const row = await db
    .selectNoFrom(({ selectFrom }) => [
      selectFrom('outgoing_mail')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('mail'),
      selectFrom('lifecycle_actions')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where(sql<boolean>`status in ('pending', 'running')`)
        .as('pending'),
      selectFrom('lifecycle_actions')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where(sql<boolean>`status = 'failed'`)
        .as('failed'),
      selectFrom('outgoing_mail')
        .select(({ fn }) => fn.min<number | null>('created_at').as('at'))
        .as('oldestMailAt'),
      selectFrom('outbox_deliveries')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where(IS_WAITING)
        .as('deliveries'),
      selectFrom('outbox_deliveries')
        .select(({ fn }) => fn.min<number | null>('created_at').as('at'))
        .where(IS_WAITING)
        .as('oldestDeliveryAt'),
      selectFrom('background_jobs')
        .select(({ fn }) => fn.min<number | null>('next_run_at').as('at'))
        .$if(jobs !== undefined, (query) => query.where('name', 'in', ['', ...(jobs ?? [])]))
        .as('nextJobAt'),
    ])
    .executeTakeFirstOrThrow()
  return {
    mail: row.mail ?? 0,
    pending: row.pending ?? 0,
    failed: row.failed ?? 0,
    oldestMailAt: row.oldestMailAt ?? undefined,
    deliveries: row.deliveries ?? 0,
    oldestDeliveryAt: row.oldestDeliveryAt ?? undefined,
    nextJobAt: row.nextJobAt ?? undefined,
  }
}

/** A partial index has these. */
const IS_WAITING = sql<boolean>`state = 'waiting' and replaced_by is null and next_attempt_at is not null`
