import { issueToken } from '../../platform/crypto/digest.ts'
import { LINK_LIFETIMES_MS } from '../../platform/mail/queue-mail.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import type { LinkPurpose } from '../../vocabulary/link-purposes.ts'
import { addEmailToken, deleteEmailTokens, nextChangeNumber } from './email-token-store.ts'

const PREFIXES = {
  reset: 'pr_',
  invitation: 'pr_',
  verification: 'ev_',
  email_change: 'ec_',
  email_revert: 'er_',
} as const satisfies Record<LinkPurpose, string>

/** A newer link of these purposes does not end an older one. */
const KEPT = new Set<LinkPurpose>(['reset', 'email_revert'])

interface Extras {
  /** Of an invitation: who invites. */
  issuedBy?: string
  /** Of `email_change` the new address, of `email_revert` the one to restore. */
  otherEmail?: string
  /** Of both: what was added to the account since then may be by whoever asked for the change. */
  accessSince?: number
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
  { issuedBy, otherEmail, accessSince }: Extras = {},
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
    created_at: now(),
    expires_at: now() + LINK_LIFETIMES_MS[purpose],
  })
  return plaintext
}
