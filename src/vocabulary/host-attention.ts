/**
 * Why administrators should look at a host, the most urgent first: a token was used after its successor, a genuine token is not
 * known any more, or the host was offered keys of the authority that don't follow from those that it trusts.
 */
export const ATTENTION_REASONS = ['token_reused', 'token_refused', 'ca_refused'] as const
export type AttentionReason = (typeof ATTENTION_REASONS)[number]
