import { digest } from '../crypto/digest.ts'
import { issueToken } from '../crypto/token.ts'
import { LINK_LIFETIMES_MS, type LinkPurpose } from '../mail/link-lifetimes.ts'
import type { Services } from '../services.ts'
import type { Reader, Trx } from '../storage/database.ts'
import { accountMayAct } from '../users/account-standing.ts'

/** What a link in a mail is good for. */
const PREFIXES = { reset: 'pr_', invitation: 'pr_', verification: 'ev_' } as const satisfies Record<LinkPurpose, string>

export type EmailPurpose = LinkPurpose

/**
 * A new link makes the older ones of its kind worthless. A reset does so only when it is used: anybody can ask for one,
 * and would end the link that its owner has open.
 */
export async function issueEmailToken(
  { now, random }: Pick<Services, 'now' | 'random'>,
  trx: Trx,
  purpose: EmailPurpose,
  user: { id: string; email: string },
): Promise<string> {
  const { plaintext, hash } = issueToken(random, PREFIXES[purpose])
  if (purpose !== 'reset') await deleteEmailTokens(trx, user.id, [purpose])
  await trx
    .insertInto('email_tokens')
    .values({
      token_hash: hash,
      user_id: user.id,
      purpose,
      email: user.email,
      created_at: now(),
      expires_at: now() + LINK_LIFETIMES_MS[purpose],
    })
    .execute()
  return plaintext
}

export interface EmailTokenOwner {
  id: string
  email: string
}

/** Who the link was sent to, while it is good: unused, in time, to the address the account still has, and may act. */
export async function findEmailTokenOwner(
  db: Reader,
  token: string,
  purposes: EmailPurpose[],
  now: number,
): Promise<EmailTokenOwner | undefined> {
  return liveTokens(db, digest(token), now)
    .where('email_tokens.purpose', 'in', purposes)
    .select(['users.id', 'users.email'])
    .executeTakeFirst()
}

/** Whether the link is still good, for whoever is about to send it. */
export const isEmailTokenAlive = async (db: Reader, tokenHash: string, now: number): Promise<boolean> =>
  (await liveTokens(db, tokenHash, now).select('users.id').executeTakeFirst()) !== undefined

const liveTokens = (db: Reader, tokenHash: string, now: number) =>
  db
    .selectFrom('email_tokens')
    .innerJoin('users', (join) =>
      join.onRef('users.id', '=', 'email_tokens.user_id').onRef('users.email', '=', 'email_tokens.email'),
    )
    .where('email_tokens.token_hash', '=', tokenHash)
    .where('email_tokens.expires_at', '>', now)
    .where(accountMayAct)

/** Uses the link up. Read and delete are one statement, so it serves once. */
export async function consumeEmailToken(trx: Trx, token: string, now: number): Promise<boolean> {
  const rows = await trx
    .deleteFrom('email_tokens')
    .where('token_hash', '=', digest(token))
    .where('expires_at', '>', now)
    .returning('user_id')
    .execute()
  return rows.length > 0
}

export async function deleteEmailTokens(trx: Trx, userId: string, purposes: EmailPurpose[]): Promise<void> {
  await trx.deleteFrom('email_tokens').where('user_id', '=', userId).where('purpose', 'in', purposes).execute()
}

/** No link that was sent to any of these users works any more. */
export async function deleteEmailTokensOfUsers(trx: Trx, userIds: string[]): Promise<void> {
  await trx.deleteFrom('email_tokens').where('user_id', 'in', userIds).execute()
}
