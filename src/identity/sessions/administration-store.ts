import type { Trx } from '../../storage/database.ts'
import { ADMIN_ROLE } from '../access/built-in-roles.ts'

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
