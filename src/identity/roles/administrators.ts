import { refuse } from '../../errors.ts'
import type { Trx, Reader } from '../../storage/database.ts'
import { ADMIN_ROLE } from '../../vocabulary/built-in-roles.ts'
import { accountMayAct } from '../users/account-state.ts'
import { roleErrors } from './role-errors.ts'

/** At least one active administrator must remain. Call it under the lock of `administer`, so that the answer still holds. */
export async function refuseLastAdministrator(trx: Trx, leavingIds: string[]): Promise<void> {
  const active = await listActiveAdministratorIds(trx)
  if (active.length > 0 && active.every((id) => leavingIds.includes(id))) {
    refuse(roleErrors.last_administrator())
  }
}

/** The only active administrator; undefined when there are several. */
export async function findLastAdministratorId(db: Reader): Promise<string | undefined> {
  const [only, ...others] = await listActiveAdministratorIds(db)
  return others.length === 0 ? only : undefined
}

const administrators = (db: Reader) =>
  db.selectFrom('user_roles').select('user_roles.user_id').where('user_roles.role_id', '=', ADMIN_ROLE)

/** Whether any user holds the administrator's role. Until then the bootstrap secret makes the first one. */
export const hasAdministrator = async (db: Reader): Promise<boolean> =>
  (await administrators(db).limit(1).execute()).length > 0

/** Everyone who holds the administrator's role, always in the same order: that is the order their rows are locked in. */
export async function listAdministratorIds(db: Reader): Promise<string[]> {
  const rows = await administrators(db).orderBy('user_roles.user_id').execute()
  return rows.map(({ user_id }) => user_id)
}

/** Those of them whose account may act. */
async function listActiveAdministratorIds(db: Reader): Promise<string[]> {
  const rows = await administrators(db)
    .innerJoin('users', 'users.id', 'user_roles.user_id')
    .where(accountMayAct)
    .execute()
  return rows.map(({ user_id }) => user_id)
}
