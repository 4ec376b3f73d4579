import { refuse } from '../../errors.ts'
import type { Trx } from '../../storage/database.ts'
import { listActiveAdministratorIds } from './administrator-store.ts'

/** At least one active administrator must remain. Call it under the lock of `administer`, so that the answer still holds. */
export async function refuseLastAdministrator(trx: Trx, leavingIds: string[]): Promise<void> {
  const active = await listActiveAdministratorIds(trx)
  if (active.length > 0 && active.every((id) => leavingIds.includes(id))) {
    refuse('conflict', 'This is the last active administrator. Make somebody else one first.')
  }
}
