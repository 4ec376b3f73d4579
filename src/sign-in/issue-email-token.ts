import { issueToken } from '../crypto/token.ts'
import { LINK_LIFETIMES_MS } from '../mail/link-lifetimes.ts'
import type { Services } from '../services.ts'
import type { Trx } from '../storage/database.ts'
import type { LinkPurpose } from '../vocabulary/link-purposes.ts'
import { addEmailToken, deleteEmailTokens } from './email-token-store.ts'

const PREFIXES = { reset: 'pr_', invitation: 'pr_', verification: 'ev_' } as const satisfies Record<LinkPurpose, string>

/**
 * The token of a link in a mail. A new one ends the older ones of its purpose. A reset does so only when it is used:
 * anybody can request one, and would end a link that the owner of the account has open.
 */
export async function issueEmailToken(
  { now, random }: Pick<Services, 'now' | 'random'>,
  trx: Trx,
  purpose: LinkPurpose,
  user: { id: string; email: string },
  issuedBy: string | null = null,
): Promise<string> {
  const { plaintext, hash } = issueToken(random, PREFIXES[purpose])
  if (purpose !== 'reset') await deleteEmailTokens(trx, user.id, [purpose])
  await addEmailToken(trx, {
    token_hash: hash,
    user_id: user.id,
    purpose,
    email: user.email,
    issued_by: issuedBy,
    created_at: now(),
    expires_at: now() + LINK_LIFETIMES_MS[purpose],
  })
  return plaintext
}
