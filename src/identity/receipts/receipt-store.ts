import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import type { Told } from '../access-events.ts'
import type { Ended, Receiver } from './receipt.ts'

/** Of an account that was disabled: who asked for it, what it ended, and who is told. */
export interface OpenReceipt {
  actionId: string
  userId: string
  email: string
  requestedBy: { id: string; email: string | null } | null
  requestedAt: number
  executedAt: number
  ended: Ended
  /** Who is told through the outbox. */
  receivers: Receiver[]
}

/** What these actions were, without who is told. Those of deleted accounts are not found. */
export async function readExecuted(db: Reader, actionIds: string[]): Promise<Omit<OpenReceipt, 'receivers'>[]> {
  const rows = await db
    .selectFrom('lifecycle_actions as action')
    .innerJoin('users', 'users.id', 'action.user_id')
    .select([
      'action.id as action_id',
      'action.user_id',
      'users.email',
      'action.requested_by',
      'action.requested_by_email',
      'action.created_at as requested_at',
      'action.finished_at',
      'action.receipt',
    ])
    .where('action.id', 'in', actionIds)
    .execute()
  return rows.map(({ finished_at, receipt, ...row }) =>
    toOpen({ ...row, executed_at: finished_at ?? row.requested_at, ended: receipt ?? '{}' }),
  )
}

/** A statement takes a limited number of values. */
const MAX_ROWS = 50

export async function addReceipts(trx: Trx, receipts: OpenReceipt[]): Promise<void> {
  const rows = receipts.map((receipt) => ({
    action_id: receipt.actionId,
    user_id: receipt.userId,
    email: receipt.email,
    requested_by: receipt.requestedBy?.id ?? null,
    requested_by_email: receipt.requestedBy?.email ?? null,
    requested_at: receipt.requestedAt,
    executed_at: receipt.executedAt,
    ended: JSON.stringify(receipt.ended),
    receivers: JSON.stringify(receipt.receivers),
  }))
  for (let at = 0; at < rows.length; at += MAX_ROWS)
    await trx
      .insertInto('open_receipts')
      .values(rows.slice(at, at + MAX_ROWS))
      .execute()
}

export async function listReceipts(db: Reader, actionIds: string[]): Promise<OpenReceipt[]> {
  if (actionIds.length === 0) return []
  const rows = await db.selectFrom('open_receipts').selectAll().where('action_id', 'in', actionIds).execute()
  return rows.map(toReceipt)
}

/** Of which action a receipt is. */
export const ACTION_ID = sql<string>`open_receipts.action_id`

/** The ones that fulfil a condition, the oldest first. */
export async function listReceiptsWhere(db: Reader, condition: RawBuilder<boolean>, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('open_receipts')
    .select('action_id')
    .where(condition)
    .orderBy('executed_at')
    .orderBy('action_id')
    .limit(limit)
    .execute()
  return rows.map(({ action_id }) => action_id)
}

/** Removes those of these that fulfil the condition, and returns them, the oldest first: each to one caller. */
export async function takeReceipts(
  trx: Trx,
  actionIds: string[],
  condition: RawBuilder<boolean>,
): Promise<OpenReceipt[]> {
  const rows = await trx
    .deleteFrom('open_receipts')
    .where('action_id', 'in', actionIds)
    .where(condition)
    .returningAll()
    .execute()
  return rows.map(toReceipt).toSorted((a, b) => a.executedAt - b.executedAt || (a.actionId < b.actionId ? -1 : 1))
}

/** Stores who was told with the action, unless that went with its account. */
export async function markComplete(
  trx: Trx,
  { actionId, completedAt, told }: { actionId: string; completedAt: number; told: Told[] },
): Promise<void> {
  await trx
    .updateTable('lifecycle_actions')
    .set({ completed_at: completedAt, told: JSON.stringify(told) })
    .where('id', '=', actionId)
    .execute()
}

type Row = Selectable<Schema['open_receipts']>

const toOpen = (row: Omit<Row, 'receivers'>): Omit<OpenReceipt, 'receivers'> => ({
  actionId: row.action_id,
  userId: row.user_id,
  email: row.email,
  requestedBy: row.requested_by === null ? null : { id: row.requested_by, email: row.requested_by_email },
  requestedAt: row.requested_at,
  executedAt: row.executed_at,
  ended: JSON.parse(row.ended) as Ended,
})

const toReceipt = (row: Row): OpenReceipt => ({
  ...toOpen(row),
  receivers: JSON.parse(row.receivers) as Receiver[],
})
