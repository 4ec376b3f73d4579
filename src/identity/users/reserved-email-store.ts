import { sql } from 'kysely'
import { AppError } from '../../errors.ts'
import type { Reader } from '../../storage/database.ts'
import { accountExists } from './account-standing.ts'

/**
 * Refuses an address that another account had until a few days ago: whoever reads mail there can still restore it. Call it
 * after the statement that takes the address, which waits for a change of that account that is under way.
 */
export async function refuseReservedEmail(
  db: Reader,
  { email, userId, now }: { email: string; userId: string; now: number },
): Promise<void> {
  const row = await db
    .selectFrom('email_tokens')
    .innerJoin('users', 'users.id', 'email_tokens.user_id')
    .select('email_tokens.user_id')
    .where('email_tokens.other_email', '=', email)
    // Written like the condition of the partial index, which serves it.
    .where(sql<boolean>`email_tokens.purpose = 'email_revert'`)
    .where('email_tokens.expires_at', '>', now)
    .where('email_tokens.user_id', '!=', userId)
    .where(accountExists)
    .executeTakeFirst()
  if (row) refuseTakenEmail()
}

/** Its own class, because whoever gets it for many addresses is guessing. */
export class TakenEmail extends AppError {
  constructor() {
    const message = 'There is already an account with this email.'
    super('conflict', message, { issues: [{ path: 'email', message }] })
  }
}

export function refuseTakenEmail(): never {
  throw new TakenEmail()
}
