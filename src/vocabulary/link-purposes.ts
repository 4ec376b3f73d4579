/**
 * What the link in a mail is for. `email_change` confirms a new address and goes to that address; `email_revert` goes to the
 * address that the account had before.
 */
export type LinkPurpose = 'reset' | 'invitation' | 'verification' | 'email_change' | 'email_revert'

/** Links that were sent to the address of the account, or lead to it. They end when the address changes. */
export const LINKS_TO_ADDRESS: LinkPurpose[] = ['reset', 'invitation', 'verification', 'email_change']
