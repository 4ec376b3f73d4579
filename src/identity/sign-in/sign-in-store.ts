import type { Trx } from '../../storage/database.ts'
import { writeStatement, type Values } from '../../storage/statement.ts'
import type { Locale } from '../../vocabulary/locales.ts'

const signedIn = writeStatement((db, value: Values<{ userId: string; now: number; locale: Locale | null }>) =>
  db
    .updateTable('users')
    .set((eb) => ({ last_login_at: value('now'), locale: eb.fn.coalesce('locale', eb.val(value('locale'))) }))
    .where('id', '=', value('userId')),
)

/** Also stores the language of the browser, if that of the user is not known yet. */
export const markSignedIn = (trx: Trx, userId: string, now: number, locale: Locale | undefined): void =>
  signedIn.next(trx, { userId, now, locale: locale ?? null })
