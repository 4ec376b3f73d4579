import type { Selectable } from 'kysely'
import { Type } from 'typebox'
import { Nullable, Time } from '../../platform/http/contracts.ts'
import type { Schema } from '../../storage/schema.ts'
import { LIFECYCLE_ACTIONS, LIFECYCLE_STATUSES } from '../../vocabulary/lifecycle.ts'
import type { Told } from '../access-events.ts'
import type { ToldByAction } from '../receipts/open-receipts.ts'
import { type Ended, Receipt, toReceipt } from '../receipts/receipt.ts'

export const ActionName = Type.Enum([...LIFECYCLE_ACTIONS])
export type ActionName = Type.Static<typeof ActionName>

const Status = Type.Enum([...LIFECYCLE_STATUSES])

/** An action that is or was planned for an account. */
export const LifecycleAction = Type.Object(
  {
    id: Type.String(),
    userId: Type.String(),
    action: ActionName,
    status: Status,
    executeAt: Time,
    requestedBy: Nullable(Type.Object({ id: Type.String(), email: Nullable(Type.String()) })),
    reason: Nullable(Type.String({ description: 'Null for the person whom the action is about.' })),
    discreet: Type.Boolean(),
    receipt: Nullable(Receipt),
    createdAt: Time,
    finishedAt: Nullable(Time),
    failureReason: Nullable(Type.String()),
  },
  { title: 'LifecycleAction' },
)
export type LifecycleAction = Type.Static<typeof LifecycleAction>

/**
 * As a user sees it. The reason is not shown to the person whom the action is about, administrators included. Where the receipt is
 * still open, `open` says who was told.
 */
export const toAction =
  (viewerId: string, open: ToldByAction = new Map()) =>
  (row: Selectable<Schema['lifecycle_actions']>): LifecycleAction => ({
    id: row.id,
    userId: row.user_id,
    action: row.action,
    status: row.status,
    executeAt: row.execute_at,
    requestedBy: row.requested_by === null ? null : { id: row.requested_by, email: row.requested_by_email },
    reason: row.user_id === viewerId ? null : row.reason,
    discreet: row.discreet === 1,
    receipt: row.receipt === null ? null : readReceipt({ ...row, receipt: row.receipt }, open.get(row.id)),
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    failureReason: row.failure_reason,
  })

/** Of an action that an earlier version carried out it is not known who was told. */
function readReceipt(
  { receipt, told, completed_at }: { receipt: string; told: string | null; completed_at: number | null },
  open: Told[] = [],
): Receipt {
  return toReceipt(JSON.parse(receipt) as Ended, told === null ? open : (JSON.parse(told) as Told[]), completed_at)
}
