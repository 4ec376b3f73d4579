import type { Database } from '../storage/database.ts'
import { PERMISSIONS } from '../vocabulary/permissions.ts'

/** Identifiers are fixed, so that every copy and every backup means the same role. */
export const ADMIN_ROLE = '00000000-0000-4000-8000-000000000001'
export const USER_ROLE = '00000000-0000-4000-8000-000000000002'

/** Makes the roles that every installation has. The administrator's grows with the catalogue, so this runs at each start. */
export async function ensureBuiltInRoles(db: Database, now: number): Promise<void> {
  await db.transaction(async (trx) => {
    await trx
      .insertInto('roles')
      .values([
        {
          id: ADMIN_ROLE,
          name: 'admin',
          description: 'May do everything.',
          principals: '[]',
          built_in: 1,
          created_at: now,
        },
        {
          id: USER_ROLE,
          name: 'user',
          description: 'Everyone with an account.',
          principals: '[]',
          built_in: 1,
          created_at: now,
        },
      ])
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await trx
      .insertInto('role_permissions')
      .values(PERMISSIONS.map((permission) => ({ role_id: ADMIN_ROLE, permission })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  })
}
