/** What is counted by the day because it happens too often for the audit trail. */
export type Counted = 'access_tokens'
