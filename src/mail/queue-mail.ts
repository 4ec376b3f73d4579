import { digest } from '../crypto/digest.ts'
import type { Vault } from '../crypto/vault.ts'
import { newOrderedId } from '../ids.ts'
import type { Trx } from '../storage/database.ts'
import { LINK_LIFETIMES_MS } from './link-lifetimes.ts'
import { addMail } from './mail-store.ts'
import type { LinkMail } from './mail.ts'

/**
 * Queues a mail in the transaction of the change that it belongs to: if that is undone, nothing is sent; if it commits, the
 * mail is sent as soon as the mail server is reachable, if its link is still valid then. The content is sealed, since it holds a
 * token.
 */
export async function queueMail(
  { now, vault }: { now: () => number; vault: Vault },
  trx: Trx,
  { token, purpose, ...mail }: LinkMail,
): Promise<void> {
  // Ordered, so that the files in the outbox are in the order in which the mails were written.
  const id = newOrderedId()
  const at = now()
  await addMail(trx, {
    id,
    recipient: mail.to,
    contentSealed: vault.seal(`mail:${id}`, Buffer.from(JSON.stringify(mail))),
    tokenHash: digest(token),
    expiresAt: at + LINK_LIFETIMES_MS[purpose],
    createdAt: at,
  })
}
