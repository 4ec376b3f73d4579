import { digest } from '../crypto/digest.ts'
import type { Vault } from '../crypto/vault.ts'
import { newOrderedId } from '../ids.ts'
import type { Trx } from '../storage/database.ts'
import { LINK_LIFETIMES_MS } from './link-lifetimes.ts'
import { addMail } from './mail-store.ts'
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
  await addMail(trx, {
    id,
    recipient: mail.to,
    contentSealed: vault.seal(`mail:${id}`, Buffer.from(JSON.stringify(mail))),
    tokenHash: digest(token),
    expiresAt: at + LINK_LIFETIMES_MS[purpose],
    createdAt: at,
  })
}
