import type { Reader, Trx } from '../../storage/database.ts'

/** What waits to be sent, encrypted. */
export async function listSealedMail(db: Reader): Promise<{ id: string; contentSealed: string }[]> {
  const rows = await db.selectFrom('outgoing_mail').select(['id', 'content_sealed']).execute()
  return rows.map((row) => ({ id: row.id, contentSealed: row.content_sealed }))
}

export async function replaceSealedMail(trx: Trx, id: string, contentSealed: string): Promise<void> {
  await trx.updateTable('outgoing_mail').set({ content_sealed: contentSealed }).where('id', '=', id).execute()
}
