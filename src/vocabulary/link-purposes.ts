/** What the link in a mail is for. */
export type LinkPurpose = 'reset' | 'invitation' | 'verification'
