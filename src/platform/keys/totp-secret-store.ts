import type { Reader, Trx } from '../../storage/database.ts'

/** What the secret of an authenticator app is sealed for. */
export const totpPurpose = (userId: string): string => `totp:${userId}`

export async function listSealedTotp(db: Reader): Promise<{ userId: string; sealed: string }[]> {
  const rows = await db
    .selectFrom('users')
    .select(['id', 'totp_sealed'])
    .where('totp_sealed', 'is not', null)
    .orderBy('id')
    .execute()
  return rows.map(({ id, totp_sealed }) => ({ userId: id, sealed: totp_sealed ?? '' }))
}

export async function replaceSealedTotp(
  trx: Trx,
  { userId, sealed }: { userId: string; sealed: string },
): Promise<void> {
  await trx.updateTable('users').set({ totp_sealed: sealed }).where('id', '=', userId).execute()
}
