import type { Reader, Trx } from '../../storage/database.ts'
import { readStatement, type Values } from '../../storage/statement.ts'

const versionOf = readStatement((db, value: Values<{ userId: string }>) =>
  db.selectFrom('users').select('avatar_version').where('id', '=', value('userId')),
)

/** The avatar of the user, with the version null when there is none; undefined when there is no such user. */
export async function findAvatar(db: Reader, userId: string): Promise<{ version: string | null } | undefined> {
  const [row] = await versionOf(db, { userId })
  return row && { version: row.avatar_version }
}

export async function markAvatarVersion(trx: Trx, userId: string, version: string | null): Promise<void> {
  await trx.updateTable('users').set({ avatar_version: version }).where('id', '=', userId).execute()
}
