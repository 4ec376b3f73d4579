import { AppError, refuse } from '../../errors.ts'
import { type Actor, recordAlone } from '../../platform/audit/record-event.ts'
import type { Services } from '../../platform/services.ts'
import type { RefusalReason } from './webauthn-refusal.ts'

interface Refusal {
  /** The audit action. */
  action: 'passkey.refused' | 'session.refused'
  /** The owner of the passkey, if known. */
  actor: Actor
  reason: RefusalReason | 'no_challenge' | 'unknown_credential' | 'counter' | 'account_disabled'
  detail?: string
}

const MAX_DETAIL_LENGTH = 200

/** Writes the reason to the log and the audit trail; the response does not contain it. */
export async function recordRefusal(
  services: Pick<Services, 'db' | 'log' | 'now'>,
  { action, actor, reason, detail }: Refusal,
): Promise<void> {
  const { id: userId, source } = actor
  services.log.info(
    { action, reason, detail: detail?.slice(0, MAX_DETAIL_LENGTH), userId, requestId: source?.requestId },
    'A passkey was refused.',
  )
  await recordAlone(services, { action, outcome: 'refused', method: 'passkey', actor, data: { reason } })
}

/** The response is the same for every reason. */
export async function refusePasskey(services: Pick<Services, 'db' | 'log' | 'now'>, refusal: Refusal): Promise<never> {
  await recordRefusal(services, refusal)
  return refuse('passkey_refused', 'The passkey was not accepted. Please try again.')
}

/** What counts against the limit of failures. A conflict or a disabled account does not: it is no guess. */
export const isPasskeyRefusal = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'passkey_refused'
