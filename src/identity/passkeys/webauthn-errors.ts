import { AppError, refuse } from '../../errors.ts'
import { recordAlone, type Actor } from '../../platform/audit/record-event.ts'
import type { Services } from '../../platform/services.ts'
import { passkeyErrors } from './passkey-errors.ts'

/** Why a response of an authenticator was refused, for the log and the audit trail. */
export type FailureReason =
  | 'malformed'
  | 'too_large'
  | 'credential_id'
  | 'type'
  | 'challenge'
  | 'origin'
  | 'cross_origin'
  | 'rp_id'
  | 'user_presence'
  | 'backup_flags'
  | 'authenticator_data'
  | 'algorithm'
  | 'public_key'
  | 'attestation'
  | 'user_handle'
  | 'signature'

/** The result of a verification: verified facts, or the reason of a failure. Bad input never makes it throw. */
export type Verdict<Facts> =
  | { verified: true; facts: Facts }
  | { verified: false; reason: FailureReason; detail: string }

export class VerificationError extends Error {
  readonly reason: FailureReason

  constructor(reason: FailureReason, detail: string, cause?: unknown) {
    super(detail, { cause })
    this.name = 'VerificationError'
    this.reason = reason
  }
}

export function requireThat(condition: boolean, reason: FailureReason, detail: string): asserts condition {
  if (!condition) throw new VerificationError(reason, detail)
}

/** Runs a step that throws on bad input, and turns what it throws into a `VerificationError`. */
export function orFail<T>(reason: FailureReason, step: () => T): T {
  try {
    return step()
  } catch (error) {
    throw new VerificationError(reason, messageOf(error), error)
  }
}

/**
 * Errors of the library by their beginning or name. They decide nothing but the reason that is recorded: an error that is
 * not listed gets the reason of the step. What a client sent comes later in a message, so it can't choose the reason.
 */
const LIBRARY_ERRORS: readonly [RegExp, FailureReason][] = [
  [/^Error: Unexpected (registration|authentication) response type\b/, 'type'],
  [/^Error: Unexpected (registration|authentication) response challenge\b/, 'challenge'],
  [/^Error: Unexpected (registration|authentication) response origin\b/, 'origin'],
  [/^UnexpectedRPIDHash\b/, 'rp_id'],
  [/^Error: User (presence was required|not present)\b/, 'user_presence'],
  [/^InvalidBackupFlags\b/, 'backup_flags'],
]

/** Runs the verification of the library, and turns what it throws into a `VerificationError`. */
export async function verifyByLibrary<T>(reason: FailureReason, verify: () => Promise<T>): Promise<T> {
  try {
    return await verify()
  } catch (error) {
    const known = LIBRARY_ERRORS.find(([pattern]) => pattern.test(String(error)))
    throw new VerificationError(known?.[1] ?? reason, messageOf(error), error)
  }
}

/** Turns checks that throw `VerificationError` into a verdict. Any other error is a bug and is thrown on. */
export async function verdictOf<Facts>(checks: () => Promise<Facts>): Promise<Verdict<Facts>> {
  try {
    return { verified: true, facts: await checks() }
  } catch (error) {
    if (error instanceof VerificationError) return { verified: false, reason: error.reason, detail: error.message }
    throw error
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export interface Failure {
  /** The audit action. */
  action: 'passkey.refused' | 'session.proved' | 'session.refused'
  /** The owner of the passkey, if known. */
  actor: Actor
  reason: FailureReason | 'no_challenge' | 'unknown_credential' | 'counter' | 'account_disabled'
  detail?: string
}

const MAX_DETAIL_LENGTH = 200

/** Writes the reason to the log and the audit trail; the response does not contain it. */
export async function recordFailure(
  services: Pick<Services, 'db' | 'log' | 'now'>,
  { action, actor, reason, detail }: Failure,
): Promise<void> {
  const { id: userId, source } = actor
  services.log.info(
    { action, reason, detail: detail?.slice(0, MAX_DETAIL_LENGTH), userId, requestId: source?.requestId },
    'A passkey was refused.',
  )
  await recordAlone(services, { action, outcome: 'refused', method: 'passkey', actor, data: { reason } })
}

/** The response is the same for every reason but one: where nobody has the credential, the browser may be told so. */
export async function refusePasskey(
  services: Pick<Services, 'db' | 'log' | 'now'>,
  failure: Failure,
  error: keyof Pick<typeof passkeyErrors, 'passkey_not_accepted' | 'passkey_not_known'> = 'passkey_not_accepted',
): Promise<never> {
  await recordFailure(services, failure)
  return refuse(passkeyErrors[error]())
}

/** What counts against the limit of failures. A conflict or a disabled account does not: it is no guess. */
export const isPasskeyNotAccepted = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'passkey_refused'
