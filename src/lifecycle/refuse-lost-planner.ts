import { findHoldings, refuseChangingMore } from '../access/holdings.ts'
import { AppError, refuse } from '../errors.ts'
import type { Trx } from '../storage/database.ts'
import { accountMayAct } from '../users/account-standing.ts'

/**
 * An account comes back only if whoever planned that could still bring it back now. Asked under the administration lock,
 * so that the answer holds when it is carried out.
 */
export async function refuseLostPlanner(trx: Trx, plannerId: string | null, userId: string): Promise<void> {
  const planner = await trx
    .selectFrom('users')
    .select('id')
    .where('id', '=', plannerId ?? '')
    .where(accountMayAct)
    .executeTakeFirst()
  if (!planner) return refuse('forbidden', 'Whoever planned it has been disabled or deleted.')
  const held = await findHoldings(trx, planner.id)
  if (!held.permissions.has('users:lifecycle')) {
    return refuse('forbidden', 'Whoever planned it no longer holds the permission users:lifecycle.')
  }
  try {
    await refuseChangingMore(trx, held, userId)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return refuse('forbidden', 'The person now holds more than whoever planned it.')
  }
}
