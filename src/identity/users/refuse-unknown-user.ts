import { refuse } from '../../errors.ts'
import type { Reader } from '../../storage/database.ts'
import { findUser } from './user-store.ts'

export async function refuseUnknownUser(db: Reader, userId: string): Promise<void> {
  if (!(await findUser(db, userId))) refuse('not_found', 'There is no such user.')
}
