/** Why a response of an authenticator was refused, for the log and the audit trail. */
export type RefusalReason =
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

/** The result of a verification: verified facts, or the reason of a refusal. Bad input never makes it throw. */
export type Verdict<Facts> =
  | { verified: true; facts: Facts }
  | { verified: false; reason: RefusalReason; detail: string }

export class Refused extends Error {
  readonly reason: RefusalReason

  constructor(reason: RefusalReason, detail: string, cause?: unknown) {
    super(detail, { cause })
    this.name = 'Refused'
    this.reason = reason
  }
}

export function refuseUnless(condition: boolean, reason: RefusalReason, detail: string): asserts condition {
  if (!condition) throw new Refused(reason, detail)
}

/** Runs a step that throws on bad input, and turns what it throws into a refusal. */
export function orRefuse<T>(reason: RefusalReason, step: () => T): T {
  try {
    return step()
  } catch (error) {
    throw new Refused(reason, messageOf(error), error)
  }
}

/** As `orRefuse`, for the steps of the library that verify signatures. */
export async function orRefuseAsync<T>(reason: RefusalReason, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    throw new Refused(reason, messageOf(error), error)
  }
}

/** Turns checks that throw `Refused` into a verdict. Any other error is a bug and is thrown on. */
export async function verdictOf<Facts>(checks: () => Promise<Facts>): Promise<Verdict<Facts>> {
  try {
    return { verified: true, facts: await checks() }
  } catch (error) {
    if (error instanceof Refused) return { verified: false, reason: error.reason, detail: error.message }
    throw error
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
