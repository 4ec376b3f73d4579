import type { Insertable, Selectable } from 'kysely'
import { issueToken, digest } from '../../platform/crypto/digest.ts'
import { LINK_LIFETIMES_MS } from '../../platform/mail/queue-mail.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx, Reader } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { LINKS_OF_OWNER, type LinkPurpose } from '../../vocabulary/link-purposes.ts'
import { accountExists, accountMayAct } from '../users/account-state.ts'

const PREFIXES = {
  reset: 'pr_',
  invitation: 'pr_',
  setup: 'su_',
  verification: 'ev_',
  email_change: 'ec_',
  email_revert: 'er_',
  not_me: 'nm_',
} as const satisfies Record<LinkPurpose, string>

/** A newer link of these purposes does not end an older one. */
const KEPT = new Set<LinkPurpose>(['reset', ...LINKS_OF_OWNER])

interface Extras {
  /** Of an invitation: who invites. */
  issuedBy?: string
  /** Of `email_change` the new address, of `email_revert` the one to restore. */
  otherEmail?: string
  /** Of both: what was added to the account since then may be by whoever asked for the change. */
  accessSince?: number
  /** Of `not_me` and `email_revert`: what the mail is about. */
  about?: LinkSubject
}

/** What a mail is about: the notification of the same event. */
export interface LinkSubject {
  notificationId: string
}

/**
 * The token of a link in a mail. A new one ends the older ones of its purpose. A reset does so only when it is used:
 * anybody can request one, and would end a link that the owner of the account has open. Each change of the address can be
 * reverted on its own.
 */
export async function issueEmailToken(
  { now, random }: Pick<Services, 'now' | 'random'>,
  trx: Trx,
  purpose: LinkPurpose,
  user: { id: string; email: string },
  { issuedBy, otherEmail, accessSince, about }: Extras = {},
): Promise<string> {
  const { plaintext, hash } = issueToken(random, PREFIXES[purpose])
  if (!KEPT.has(purpose)) await deleteEmailTokens(trx, user.id, [purpose])
  await addEmailToken(trx, {
    token_hash: hash,
    user_id: user.id,
    purpose,
    email: user.email,
    issued_by: issuedBy ?? null,
    other_email: otherEmail ?? null,
    access_since: accessSince ?? null,
    change_number: purpose === 'email_revert' ? await nextChangeNumber(trx, user.id) : null,
    about: about === undefined ? null : JSON.stringify(about),
    created_at: now(),
    expires_at: now() + LINK_LIFETIMES_MS[purpose],
  })
  return plaintext
}

async function addEmailToken(trx: Trx, token: Insertable<Schema['email_tokens']>): Promise<void> {
  await trx.insertInto('email_tokens').values(token).execute()
}

export interface EmailTokenOwner {
  id: string
  email: string
}

/** The account that a link was sent to, if the link is unused and not expired, the address is still its own and it may act. */
export async function findEmailTokenOwner(
  db: Reader,
  token: string,
  purposes: LinkPurpose[],
  now: number,
): Promise<EmailTokenOwner | undefined> {
  return liveTokens(db, digest(token), now)
    .where('email_tokens.purpose', 'in', purposes)
    .select(['users.id', 'users.email'])
    .executeTakeFirst()
}

/** Who sent an invitation: a display name, or an email. Null when that account is gone. */
export async function findInviter(db: Reader, token: string): Promise<string | null> {
  const row = await db
    .selectFrom('email_tokens')
    .innerJoin('users', 'users.id', 'email_tokens.issued_by')
    .select(['users.display_name', 'users.email'])
    .where('email_tokens.token_hash', '=', digest(token))
    .where(accountExists)
    .executeTakeFirst()
  return row?.display_name ?? row?.email ?? null
}

export interface EmailLink extends EmailTokenOwner {
  /** Of `email_change` the new address, of `email_revert` the one to restore. */
  otherEmail: string
  /** What was added to the account since then may be by whoever asked for the change. Zero when it is not known. */
  accessSince: number
  /** The place of the change among those of the account. */
  change: { number: number | null; createdAt: number }
}

/** The same for links that change or restore an address. */
export async function findEmailLink(
  db: Reader,
  token: string,
  purpose: 'email_change' | 'email_revert',
  now: number,
): Promise<EmailLink | undefined> {
  const row = await liveTokens(db, digest(token), now)
    .where('email_tokens.purpose', '=', purpose)
    .select(EMAIL_LINK_COLUMNS)
    .executeTakeFirst()
  return row && toEmailLink(row)
}

export const EMAIL_LINK_COLUMNS = [
  'users.id',
  'users.email',
  'email_tokens.other_email',
  'email_tokens.access_since',
  'email_tokens.change_number',
  'email_tokens.created_at',
] as const

type EmailLinkRow = EmailTokenOwner &
  Pick<Selectable<Schema['email_tokens']>, 'other_email' | 'access_since' | 'change_number' | 'created_at'>

export const toEmailLink = (row: EmailLinkRow): EmailLink => ({
  id: row.id,
  email: row.email,
  otherEmail: row.other_email ?? '',
  accessSince: row.access_since ?? 0,
  change: { number: row.change_number, createdAt: row.created_at },
})

/** For a link that restores an address. Lock the account, so that no other change of its address gets the same number. */
async function nextChangeNumber(trx: Trx, userId: string): Promise<number> {
  const row = await trx
    .selectFrom('email_tokens')
    .select((eb) => eb.fn.max('change_number').as('last'))
    .where('user_id', '=', userId)
    .where('purpose', '=', 'email_revert')
    .executeTakeFirst()
  return (row?.last ?? 0) + 1
}

/**
 * Deletes the links that restore an address and belong to changes after this one. The numbers tell which those are, because
 * the clocks of two replicas differ; times only where an earlier version has sent one of the links.
 */
export async function deleteLaterReverts(
  trx: Trx,
  userId: string,
  { number, createdAt }: EmailLink['change'],
): Promise<void> {
  await trx
    .deleteFrom('email_tokens')
    .where('user_id', '=', userId)
    .where('purpose', '=', 'email_revert')
    .where((eb) =>
      number === null
        ? eb('created_at', '>=', createdAt)
        : eb.or([
            eb('change_number', '>', number),
            eb.and([eb('change_number', 'is', null), eb('created_at', '>=', createdAt)]),
          ]),
    )
    .execute()
}

/** Whether a link still works. Checked before its mail is sent. */
export const isEmailTokenLive = async (db: Reader, tokenHash: string, now: number): Promise<boolean> =>
  (await liveTokens(db, tokenHash, now).select('users.id').executeTakeFirst()) !== undefined

/** By the digest. */
export const liveTokens = (db: Reader, tokenHash: string, now: number) =>
  db
    .selectFrom('email_tokens')
    .innerJoin('users', 'users.id', 'email_tokens.user_id')
    .where(({ eb, ref, or }) =>
      // Those of the owner work also after the address was changed.
      or([eb('users.email', '=', ref('email_tokens.email')), eb('email_tokens.purpose', 'in', LINKS_OF_OWNER)]),
    )
    .where('email_tokens.token_hash', '=', tokenHash)
    .where('email_tokens.expires_at', '>', now)
    .where(accountMayAct)

/** Whose link it is that lets a session set up what a role demands, and whether the operator has made it. */
export async function findSetUpLink(
  db: Reader,
  token: string,
  now: number,
): Promise<{ userId: string; isOfOperator: boolean } | undefined> {
  const row = await liveTokens(db, digest(token), now)
    .where('email_tokens.purpose', '=', 'setup')
    .select(['users.id', 'email_tokens.issued_by'])
    .executeTakeFirst()
  return row && { userId: row.id, isOfOperator: row.issued_by === null }
}

/** Reading and deleting are one statement, so a token can be used only once. */
export async function consumeEmailToken(trx: Trx, token: string, now: number): Promise<boolean> {
  const rows = await trx
    .deleteFrom('email_tokens')
    .where('token_hash', '=', digest(token))
    .where('expires_at', '>', now)
    .returning('user_id')
    .execute()
  return rows.length > 0
}

export async function deleteEmailTokens(trx: Trx, userId: string, purposes: LinkPurpose[]): Promise<void> {
  await trx.deleteFrom('email_tokens').where('user_id', '=', userId).where('purpose', 'in', purposes).execute()
}

/**
 * Ends every link that was sent to these users, but those of the owner: an account that somebody else took over is often
 * disabled first, and its owner still restores the address when it is enabled again.
 */
export async function deleteEmailTokensOfUsers(trx: Trx, userIds: string[]): Promise<void> {
  await trx
    .deleteFrom('email_tokens')
    .where('user_id', 'in', userIds)
    .where('purpose', 'not in', LINKS_OF_OWNER)
    .execute()
}
