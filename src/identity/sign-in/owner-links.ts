import { digest } from '../../platform/crypto/digest.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import { LINKS_OF_OWNER } from '../../vocabulary/link-purposes.ts'
import { EMAIL_LINK_COLUMNS, liveTokens, toEmailLink, type EmailLink, type LinkSubject } from './email-tokens.ts'

/** The link of a mail that tells the owner of an account what happened to it. */
export interface OwnerLink {
  tokenHash: string
  userId: string
  /** The notification of the same event; undefined for links of an earlier version. */
  notificationId: string | undefined
  /** Of a mail about a changed address: what restores it. */
  change: EmailLink | undefined
}

/** If the link is unused and not expired, and the account may act. */
export const findOwnerLink = async (db: Reader, token: string, now: number): Promise<OwnerLink | undefined> => {
  const row = await ownerLinks(db, digest(token), now).executeTakeFirst()
  return row && toOwnerLink(row)
}

/** The link that restores the address, for the notification of its change. */
export async function findChangeLink(
  db: Reader,
  { userId, notificationId }: { userId: string; notificationId: string },
  now: number,
): Promise<OwnerLink | undefined> {
  const about: LinkSubject = { notificationId }
  const row = await db
    .selectFrom('email_tokens')
    .select('token_hash')
    .where('user_id', '=', userId)
    .where('purpose', '=', 'email_revert')
    .where('about', '=', JSON.stringify(about))
    .executeTakeFirst()
  const link = row && (await ownerLinks(db, row.token_hash, now).executeTakeFirst())
  return link && toOwnerLink(link)
}

const ownerLinks = (db: Reader, tokenHash: string, now: number) =>
  liveTokens(db, tokenHash, now)
    .where('email_tokens.purpose', 'in', LINKS_OF_OWNER)
    .select(['email_tokens.token_hash', 'email_tokens.purpose', 'email_tokens.about'])
    .select(EMAIL_LINK_COLUMNS)

type Row = NonNullable<Awaited<ReturnType<ReturnType<typeof ownerLinks>['executeTakeFirst']>>>

const toOwnerLink = (row: Row): OwnerLink => ({
  tokenHash: row.token_hash,
  userId: row.id,
  notificationId: row.about === null ? undefined : (JSON.parse(row.about) as LinkSubject).notificationId,
  change: row.purpose === 'email_revert' ? toEmailLink(row) : undefined,
})

/** How many links about its security an account was sent since then, and has not used. */
export async function countNotMeLinks(trx: Trx, userId: string, since: number): Promise<number> {
  const { count } = await trx
    .selectFrom('email_tokens')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('purpose', '=', 'not_me')
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow()
  return count
}

/** Deleting decides who was first: a link works once, also on two replicas. */
export async function consumeOwnerLink(trx: Trx, { tokenHash }: OwnerLink): Promise<boolean> {
  const rows = await trx.deleteFrom('email_tokens').where('token_hash', '=', tokenHash).returning('user_id').execute()
  return rows.length > 0
}

/** What was mailed to other addresses than this one, which its owner has taken back. Links that restore an address stay. */
export async function deleteNotMeLinksToOthers(trx: Trx, userId: string, address: string): Promise<void> {
  await trx
    .deleteFrom('email_tokens')
    .where('user_id', '=', userId)
    .where('purpose', '=', 'not_me')
    .where('email', '!=', address)
    .execute()
}
