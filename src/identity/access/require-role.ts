import { refuse } from '../../errors.ts'
import type { Reader } from '../../storage/database.ts'
import { findRole } from './role-store.ts'
import type { Role } from './role.ts'

export const requireRole = async (db: Reader, id: string): Promise<Role> =>
  (await findRole(db, id)) ?? refuse('not_found', 'There is no such role.')
