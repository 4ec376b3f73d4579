import type { Trx } from '../../storage/database.ts'
import type { LinkPurpose } from '../../vocabulary/link-purposes.ts'
import { digest } from '../crypto/digest.ts'
import type { Vault } from '../crypto/vault.ts'
import { newOrderedId } from '../ids.ts'
import { addMail } from './mail-store.ts'
import type { LinkMail, Mail } from './mail.ts'

/**
 * Queues a mail in the transaction of the change that it belongs to: if that is undone, nothing is sent; if it commits, the
 * mail is sent as soon as the mail server is reachable, if its link is still valid then. The content is sealed, since it holds a
 * token.
 */
export const queueMail = (needs: QueueServices, trx: Trx, { token, purpose, ...mail }: LinkMail): Promise<void> =>
  add(needs, trx, mail, { tokenHash: digest(token), lifetimeMs: LINK_LIFETIMES_MS[purpose] })

/** A mail that tells of something and has no link with a token. Old news is not sent. */
export const queueNotice = (needs: QueueServices, trx: Trx, mail: Mail): Promise<void> =>
  add(needs, trx, mail, { tokenHash: null, lifetimeMs: NOTICE_LIFETIME_MS })

const NOTICE_LIFETIME_MS = 7 * 24 * 3_600_000

interface QueueServices {
  now: () => number
  vault: Vault
}

async function add(
  { now, vault }: QueueServices,
  trx: Trx,
  mail: Mail,
  { tokenHash, lifetimeMs }: { tokenHash: string | null; lifetimeMs: number },
): Promise<void> {
  // Ordered, so that the files in the outbox are in the order in which the mails were written.
  const id = newOrderedId()
  const at = now()
  await addMail(trx, {
    id,
    recipient: mail.to,
    contentSealed: vault.seal(`mail:${id}`, Buffer.from(JSON.stringify(mail))),
    tokenHash,
    expiresAt: at + lifetimeMs,
    createdAt: at,
  })
}

const HOUR = 3_600_000

/** How long the link in a mail is valid, by its purpose. After that the mail is not sent either. */
export const LINK_LIFETIMES_MS: Record<LinkPurpose, number> = {
  reset: HOUR,
  invitation: 7 * 24 * HOUR,
  setup: 24 * HOUR,
  verification: 24 * HOUR,
  email_change: 24 * HOUR,
  email_revert: 7 * 24 * HOUR,
  not_me: 7 * 24 * HOUR,
}
