import { AppError, refuse } from '../../errors.ts'
import type { Trx } from '../../storage/database.ts'
import { readHoldings } from '../access/holdings-store.ts'
import { refuseIfHoldsMore } from '../access/holdings.ts'
import { mayAct } from '../users/account-standing.ts'
import { findAccountById } from '../users/user-store.ts'

/**
 * Refuses a planned enable when its planner could not enable the account now. Call it under the administration lock, so
 * that the answer still holds when the action is carried out.
 */
export async function checkPlanner(trx: Trx, plannerId: string | null, userId: string): Promise<void> {
  const planner = await findAccountById(trx, plannerId ?? '')
  if (!planner || !mayAct(planner)) return refuse('forbidden', 'The user who planned it is disabled or deleted.')
  const held = await readHoldings(trx, planner.user.id)
  if (!held.permissions.has('users:lifecycle')) {
    return refuse('forbidden', 'The user who planned it no longer has the permission users:lifecycle.')
  }
  try {
    await refuseIfHoldsMore(trx, held, userId, 'access')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return refuse('forbidden', 'This person now holds more than the user who planned it.')
  }
}
