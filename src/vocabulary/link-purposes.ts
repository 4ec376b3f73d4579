/**
 * What the link in a mail is for. `email_change` confirms a new address and goes to that address; `email_revert` goes to the
 * address that the account had before. `setup` lets a session set up what a role demands. `not_me` says that somebody else did what the mail is about.
 */
export type LinkPurpose = 'reset' | 'invitation' | 'setup' | 'verification' | 'email_change' | 'email_revert' | 'not_me'

/** Links that were sent to the address of the account, or lead to it. They end when the address changes. */
export const LINKS_TO_ADDRESS: LinkPurpose[] = ['reset', 'invitation', 'setup', 'verification', 'email_change']

/**
 * Links for the owner of an account that somebody else has taken over. Neither a change of the address ends them nor a disabled
 * account: whoever took the account over could do the one, and the other is often the first answer to it.
 */
export const LINKS_OF_OWNER: LinkPurpose[] = ['email_revert', 'not_me']
