import { Type } from 'typebox'
import { readHoldings } from '../../identity/access/holdings-store.ts'
import { ActionName } from '../../identity/lifecycle/lifecycle-action.ts'
import { Nullable, Time } from '../../platform/http/contracts.ts'
import type { Services } from '../../platform/services.ts'
import { countActions, listFailedActions, listNextActions } from './planned-action-store.ts'

export const PlannedActions = Nullable(
  Type.Object(
    {
      pending: Type.Integer(),
      failed: Type.Integer(),
      next: Type.Array(
        Type.Object({
          id: Type.String(),
          userId: Type.String(),
          email: Type.String(),
          action: ActionName,
          executeAt: Time,
        }),
        { description: 'The next ones due.' },
      ),
    },
    { description: 'Without those about the caller. Null without users:lifecycle.' },
  ),
)

export const FailedActions = Nullable(
  Type.Array(
    Type.Object({
      id: Type.String(),
      at: Nullable(Time),
      userId: Type.String(),
      email: Type.String(),
      action: ActionName,
      reason: Nullable(Type.String()),
    }),
    { description: 'Without those about the caller. Null without users:lifecycle.' },
  ),
)

interface ShownActions {
  lifecycle: Type.Static<typeof PlannedActions>
  failedActions: Type.Static<typeof FailedActions>
}

const MAX_NEXT = 5
const MAX_FAILED = 10
const FAILED_MS = 7 * 24 * 3_600_000

/**
 * What is planned for others, as this person may see it. A disable may be planned so that nobody guesses it, and least of all
 * the person whom it is about. So it is not taken from figures that were counted for somebody else: the difference would tell.
 */
export async function readPlannedActions(
  { db, now }: Pick<Services, 'db' | 'now'>,
  viewerId: string,
): Promise<ShownActions> {
  const { permissions } = await readHoldings(db.read, viewerId)
  if (!permissions.has('users:lifecycle')) return { lifecycle: null, failedActions: null }
  return {
    lifecycle: { ...(await countActions(db.read, viewerId)), next: await listNextActions(db.read, viewerId, MAX_NEXT) },
    failedActions: await listFailedActions(db.read, { viewerId, since: now() - FAILED_MS, limit: MAX_FAILED }),
  }
}
