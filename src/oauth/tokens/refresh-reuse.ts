import { familyLives } from './lifetimes.ts'
import type { RefreshToken } from './token-store.ts'

/** How long a used token may be sent again: the answer may have been lost, or two tabs refresh at the same time. */
const RETRY_MS = 10_000

/**
 * Whether using the token now shows that two parties hold tokens of its family.
 *
 * A retry gets a sibling of the successor whose answer may have been lost. Only one sibling may be used: a use of another
 * one, or of their parent, after that is a reuse. When the clock was set back by more than the time for a retry, a second
 * use is a reuse too.
 */
export function isReused({ usedAt, successorUsedAt, parentSuccessorUsedAt }: RefreshToken, now: number): boolean {
  if (usedAt === null) return parentSuccessorUsedAt !== null
  return successorUsedAt !== null || Math.abs(now - usedAt) > RETRY_MS
}

export const isUnexpired = ({ expiresAt, authorizedAt, clientId }: RefreshToken, now: number): boolean =>
  expiresAt > now && familyLives(authorizedAt, clientId, now)

/** Whether a use of the token would be its first, and would be accepted. */
export const isUsable = (token: RefreshToken, now: number): boolean =>
  token.usedAt === null && !isReused(token, now) && isUnexpired(token, now)
