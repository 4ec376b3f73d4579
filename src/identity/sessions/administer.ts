import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { ADMIN_ROLE } from '../../vocabulary/built-in-roles.ts'
import { readHoldings, type UserHoldings } from '../roles/holdings.ts'
import type { SignedInActor } from './actor.ts'
import { lockActor } from './lock-actor.ts'

/**
 * Runs one administrative change at a time, on all replicas. What the actor may do is read again under the lock: when two
 * administrators remove each other at the same moment, only the first one succeeds.
 */
export const administer = <T>(
  services: Pick<Services, 'db' | 'now'>,
  actor: SignedInActor,
  change: (trx: Trx, held: UserHoldings) => Promise<T>,
): Promise<T> => services.db.transaction(async (trx) => change(trx, await beginAdministration(services, trx, actor)))

/** The same within a transaction that is open already. Returns what the actor holds. */
export async function beginAdministration(
  { now }: Pick<Services, 'now'>,
  trx: Trx,
  actor: SignedInActor,
): Promise<UserHoldings> {
  await lockAdministration(trx)
  await lockActor(trx, { now }, actor)
  return readHoldings(trx, actor.id)
}

/**
 * One administrative change at a time, on all replicas, until the transaction ends. Writing the row of the administrator's
 * role without changing it locks it on PostgreSQL; on SQLite there is only one writer.
 */
export async function lockAdministration(trx: Trx): Promise<void> {
  await trx
    .updateTable('roles')
    .set((eb) => ({ created_at: eb.ref('created_at') }))
    .where('id', '=', ADMIN_ROLE)
    .execute()
}
