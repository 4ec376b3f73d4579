import { sql } from 'kysely'
import type { Reader } from '../../storage/database.ts'
import type { ReceiverKind } from '../../vocabulary/receivers.ts'

export interface FailingReceiver {
  kind: ReceiverKind
  receiverId: string
  since: number
  lastStatus: number | null
  lastError: string | null
}

/** Those that have failed since that time or longer, the longest first, without those that are turned off. */
export async function listFailingReceivers(
  db: Reader,
  { before, limit, unnotified = false }: { before: number; limit: number; unnotified?: boolean },
): Promise<FailingReceiver[]> {
  const rows = await db
    .selectFrom('outbox_receivers')
    .select(['kind', 'receiver_id', 'failing_since', 'last_status', 'last_error'])
    .where('failing_since', '<=', before)
    .$if(unnotified, (query) => query.where('notified_at', 'is', null))
    .where(
      sql<boolean>`case kind
        when 'webhook' then exists (select 1 from webhooks where id = receiver_id and enabled = 1)
        else exists (select 1 from oauth_clients where client_id = receiver_id and disabled_at is null) end`,
    )
    .orderBy('failing_since')
    .orderBy('receiver_id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    kind: row.kind,
    receiverId: row.receiver_id,
    since: row.failing_since ?? before,
    lastStatus: row.last_status,
    lastError: row.last_error,
  }))
}

interface Answers {
  failingSince: number | null
  lastAt: number | null
  lastStatus: number | null
}

/** How a receiver has answered; all null while it was told nothing. */
export async function findAnswers(
  db: Reader,
  { kind, receiverId }: { kind: ReceiverKind; receiverId: string },
): Promise<Answers> {
  const row = await db
    .selectFrom('outbox_receivers')
    .select(['failing_since', 'last_at', 'last_status'])
    .where('kind', '=', kind)
    .where('receiver_id', '=', receiverId)
    .executeTakeFirst()
  return {
    failingSince: row?.failing_since ?? null,
    lastAt: row?.last_at ?? null,
    lastStatus: row?.last_status ?? null,
  }
}
