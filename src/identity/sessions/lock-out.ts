import { refuse } from '../../errors.ts'
import type { Trx } from '../../storage/database.ts'
import { levelOf, type RoleDemand } from '../../vocabulary/role-demands.ts'
import { findLastAdministratorId } from '../roles/administrators.ts'
import { findLacking, strengthOfSession } from '../roles/role-demands.ts'
import { roleErrors } from '../roles/role-errors.ts'
import type { SignedInActor } from './actor.ts'
import { readActorsProof } from './raise-session.ts'

/**
 * Refuses to demand of the last administrator what the session of the actor does not have itself: nobody could undo it. Call it under the lock
 * of `administer`, before the change.
 */
export async function refuseLockingOut(
  trx: Trx,
  actor: Pick<SignedInActor, 'sessionId'>,
  { demand, holds }: { demand: RoleDemand; holds: (userId: string) => boolean | Promise<boolean> },
): Promise<void> {
  if (demand === 'none') return
  const last = await findLastAdministratorId(trx)
  if (last === undefined || !(await holds(last))) return
  if (strengthOfSession(await readActorsProof(trx, actor)) < levelOf(demand)) refuse(roleErrors.demand_locks_out())
}

/** Refuses to remove the last means with which the last administrator meets what a role demands. Call it after the removal, in its transaction. */
export async function refuseLosingLastMeans(trx: Trx, userId: string): Promise<void> {
  if ((await findLastAdministratorId(trx)) !== userId) return
  const lacking = await findLacking(trx, userId)
  if (lacking?.means.length === 0) refuse(roleErrors.last_means_of_administrator())
}
