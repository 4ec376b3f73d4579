const HOUR = 3_600_000

/** How long the link in a mail is valid, by its purpose. After that the mail is not sent either. */
export const LINK_LIFETIMES_MS = {
  reset: HOUR,
  invitation: 7 * 24 * HOUR,
  verification: 24 * HOUR,
} as const

export type LinkPurpose = keyof typeof LINK_LIFETIMES_MS
