import type { Db } from '../storage/schema.ts'
import { ADMIN_ROLE } from './built-in-roles.ts'

/** Whether anybody holds the administrator's role; until then the bootstrap secret makes the first one. */
export const hasAdministrator = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('user_roles').select('user_id').where('role_id', '=', ADMIN_ROLE).limit(1).execute()).length > 0
