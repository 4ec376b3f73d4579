import type { Trx } from '../storage/database.ts'
import type { Locale } from '../vocabulary/locales.ts'

/** Also stores the language of the browser, if that of the user is not known yet. */
export async function markSignedIn(trx: Trx, userId: string, now: number, locale: Locale | undefined): Promise<void> {
  await trx
    .updateTable('users')
    .set((eb) => ({
      last_login_at: now,
      ...(locale === undefined ? {} : { locale: eb.fn.coalesce('locale', eb.val(locale)) }),
    }))
    .where('id', '=', userId)
    .execute()
}
