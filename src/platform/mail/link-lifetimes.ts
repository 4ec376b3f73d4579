import type { LinkPurpose } from '../../vocabulary/link-purposes.ts'

const HOUR = 3_600_000

/** How long the link in a mail is valid, by its purpose. After that the mail is not sent either. */
export const LINK_LIFETIMES_MS: Record<LinkPurpose, number> = {
  reset: HOUR,
  invitation: 7 * 24 * HOUR,
  verification: 24 * HOUR,
  email_change: 24 * HOUR,
  email_revert: 7 * 24 * HOUR,
}
