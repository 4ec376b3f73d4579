import type { Trx } from '../../storage/database.ts'
import { accountExists, accountIsDisabled, accountMayAct } from '../users/account-standing.ts'

/** An account whose state was changed. */
export interface ChangedAccount {
  id: string
  email: string
  displayName: string | null
}

const CHANGED = ['users.id', 'users.email', 'users.display_name as displayName'] as const

/** Disables those of these accounts that may act, and returns them. */
export const markDisabled = async (trx: Trx, userIds: string[], at: number): Promise<ChangedAccount[]> =>
  signalled(
    trx,
    await trx
      .updateTable('users')
      .set({ disabled_at: at })
      .where('users.id', 'in', userIds)
      .where(accountMayAct)
      .returning(CHANGED)
      .execute(),
  )

/** Enables those of these accounts that are disabled and not deleted, and returns them. */
export const markEnabled = async (trx: Trx, userIds: string[]): Promise<ChangedAccount[]> =>
  signalled(
    trx,
    await trx
      .updateTable('users')
      .set({ disabled_at: null })
      .where('users.id', 'in', userIds)
      .where(accountIsDisabled)
      .where(accountExists)
      .returning(CHANGED)
      .execute(),
  )

function signalled(trx: Trx, changed: ChangedAccount[]): ChangedAccount[] {
  if (changed.length > 0) trx.signal('access-changed', null)
  return changed
}
