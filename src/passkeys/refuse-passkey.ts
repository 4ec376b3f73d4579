import { type Actor, recordAlone } from '../audit/record-event.ts'
import { AppError, refuse } from '../errors.ts'
import type { Services } from '../services.ts'
import type { RefusalReason } from './webauthn-refusal.ts'

interface Refusal {
  /** What was tried, as the audit trail calls its refusal. */
  action: 'passkey.refused' | 'session.refused'
  /** Whose passkey it is, as far as that is known. */
  actor: Actor
  reason: RefusalReason | 'no_challenge' | 'unknown_credential' | 'counter' | 'account_disabled'
  detail?: string
}

const LONGEST_DETAIL = 200

/** Why an answer of an authenticator was refused is for the log and the audit trail. */
export async function recordRefusal(
  services: Pick<Services, 'db' | 'log' | 'now'>,
  { action, actor, reason, detail }: Refusal,
): Promise<void> {
  const { id: userId, source } = actor
  services.log.info(
    { action, reason, detail: detail?.slice(0, LONGEST_DETAIL), userId, requestId: source?.requestId },
    'A passkey was refused.',
  )
  await recordAlone(services, { action, outcome: 'refused', method: 'passkey', actor, data: { reason } })
}

/** Whoever sent the answer is told the same whatever was wrong with it. */
export async function refusePasskey(services: Pick<Services, 'db' | 'log' | 'now'>, refusal: Refusal): Promise<never> {
  await recordRefusal(services, refusal)
  return refuse('passkey_refused', 'The passkey was not accepted. Please try again.')
}

/** What counts against the limit of failures: neither a conflict nor a disabled account is a guess. */
export const isPasskeyRefusal = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'passkey_refused'
