import type { Reader, Trx } from '../../storage/database.ts'

/** Keeps the id that is there: replicas that start together end up with the same one, and a restored backup with its own. */
export async function addInstallationOnce(trx: Trx, id: string): Promise<void> {
  await trx
    .insertInto('installation')
    .values({ only_row: 1, id })
    .onConflict((conflict) => conflict.column('only_row').doNothing())
    .execute()
}

export async function findInstallation(db: Reader): Promise<string> {
  const { id } = await db.selectFrom('installation').select('id').executeTakeFirstOrThrow()
  return id
}
