import type { Trx } from '../storage/database.ts'

export async function markSignedIn(trx: Trx, userId: string, now: number): Promise<void> {
  await trx.updateTable('users').set({ last_login_at: now }).where('id', '=', userId).execute()
}
