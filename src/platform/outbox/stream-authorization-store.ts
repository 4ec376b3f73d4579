import type { Reader, Trx } from '../../storage/database.ts'

/** What the header that a stream is pushed with is sealed for. */
export const streamPurpose = (streamId: string): string => `signal-stream:${streamId}`

interface SealedAuthorization {
  id: string
  sealed: string
}

export async function listSealedAuthorizations(db: Reader): Promise<SealedAuthorization[]> {
  const rows = await db
    .selectFrom('signal_streams')
    .select(['id', 'authorization_sealed'])
    .where('authorization_sealed', 'is not', null)
    .execute()
  return rows.map(({ id, authorization_sealed: sealed }) => ({ id, sealed: sealed ?? '' }))
}

export async function replaceSealedAuthorization(trx: Trx, { id, sealed }: SealedAuthorization): Promise<void> {
  await trx.updateTable('signal_streams').set({ authorization_sealed: sealed }).where('id', '=', id).execute()
}
