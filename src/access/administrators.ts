import { refuse } from '../errors.ts'
import type { Reader } from '../storage/database.ts'
import { ADMIN_ROLE } from './built-in-roles.ts'

/** Whether anybody holds the administrator's role; until then the bootstrap secret makes the first one. */
export const hasAdministrator = async (db: Reader): Promise<boolean> =>
  (await db.selectFrom('user_roles').select('user_id').where('role_id', '=', ADMIN_ROLE).limit(1).execute()).length > 0

/** Everyone who holds the administrator's role, always in the same order: that is the order their rows are locked in. */
export async function listAdministratorIds(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom('user_roles')
    .select('user_id')
    .where('role_id', '=', ADMIN_ROLE)
    .orderBy('user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/** Somebody must be left who can administer. Asked under the lock of `administer`, so that the answer still holds. */
export async function refuseLastAdministrator(db: Reader, leaving: string[]): Promise<void> {
  const active = await db
    .selectFrom('user_roles')
    .innerJoin('users', 'users.id', 'user_roles.user_id')
    .select('user_roles.user_id')
    .where('user_roles.role_id', '=', ADMIN_ROLE)
    .where('users.disabled_at', 'is', null)
    .execute()
  if (active.length > 0 && active.every(({ user_id }) => leaving.includes(user_id))) {
    refuse('conflict', 'This is the last active administrator. Make somebody else one first.')
  }
}
