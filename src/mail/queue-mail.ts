import { digest } from '../crypto/digest.ts'
import type { Vault } from '../crypto/vault.ts'
import { newOrderedId } from '../ids.ts'
import type { Trx } from '../storage/database.ts'
import { LINK_LIFETIMES_MS } from './link-lifetimes.ts'
import type { LinkMail } from './mail.ts'

/**
 * Hands a mail over as part of the change that it belongs to: if that is undone, nothing was sent; if it stands, the mail
 * will go out, however long the mail server is away, while its link is good. What it says is sealed, since it carries a
 * token.
 */
export async function queueMail(
  { now, vault }: { now: () => number; vault: Vault },
  trx: Trx,
  { token, purpose, ...mail }: LinkMail,
): Promise<void> {
  // In the outbox the files stand in the order in which the mails were written.
  const id = newOrderedId()
  const at = now()
  await trx
    .insertInto('outgoing_mail')
    .values({
      id,
      recipient: mail.to,
      content_sealed: vault.seal(`mail:${id}`, Buffer.from(JSON.stringify(mail))),
      next_attempt_at: at,
      scheduled_at: at,
      last_error: null,
      claim: null,
      token_hash: digest(token),
      expires_at: at + LINK_LIFETIMES_MS[purpose],
      created_at: at,
    })
    .execute()
}
