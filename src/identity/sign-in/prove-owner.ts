import { refuse, atField } from '../../errors.ts'
import type { Services } from '../../platform/services.ts'
import type { Reader } from '../../storage/database.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { requireFreshAlways } from '../sessions/fresh.ts'
import type { SignedIn } from '../sessions/session.ts'
import { normalizePassword } from '../users/password-rules.ts'
import { type Account, findAccountById } from '../users/user-store.ts'
import { attemptPassword } from './password-limits.ts'
import { signInErrors } from './sign-in-errors.ts'
import type { SignInSource } from './sign-in-source.ts'

type ProofServices = Pick<Services, 'db' | 'limits' | 'now' | 'passwords'>

interface ProofRequest {
  actor: SignedInActor
  signedIn: Pick<SignedIn, 'method' | 'session'>
  currentPassword: string | undefined
  source: SignInSource
  /** Whether an error of `act` counts like a wrong password. */
  isGuess?: (error: unknown) => boolean
}

/**
 * Runs a change that an open session alone does not allow: the person proves the password once more or, without one, has
 * signed in with a passkey a moment ago. `act` compares the proof again in its transaction with `isProofCurrent`, and
 * returns undefined when it is another password by then. Wrong passwords count like those of a sign-in.
 */
export const withProof = <T>(
  services: ProofServices,
  request: ProofRequest,
  act: (proof: string | null) => Promise<T | undefined>,
): Promise<T> => {
  const { actor, source, isGuess } = request
  return attemptPassword(services, { email: actor.email, source, isGuess }, () =>
    proveUntilUnchanged(() => prove(services, request), act),
  )
}

/** Whether the account still has the password that was proved, or still none. */
export const isProofCurrent = async (db: Reader, userId: string, proof: string | null): Promise<boolean> =>
  ((await findAccountById(db, userId))?.passwordHash ?? null) === proof

async function prove(
  { db, now, passwords }: ProofServices,
  { actor, signedIn: { method, session }, currentPassword, source }: ProofRequest,
): Promise<string | null> {
  const stored = (await findAccountById(db.read, actor.id))?.passwordHash ?? null
  if (stored === null) {
    await requireFreshAlways({ now }, db.read, {
      id: actor.id,
      provedAt: method === 'passkey' ? session.provedAt : null,
    })
    return null
  }
  if (currentPassword === undefined) return refuse(atField('currentPassword', signInErrors.current_password_missing()))
  if (await passwords.verify(stored, normalizePassword(currentPassword), source.ipAddress)) return stored
  throw atField('currentPassword', signInErrors.current_password_wrong())
}

/** A password is rehashed at most once for each sign-in, so a third check finds the hash that was proved. */
const MAX_PROOFS = 3

/**
 * Checking a password takes too long to do it in a transaction. So it is checked before, and `act` compares the hash again
 * in its transaction and returns undefined when it is another one. Then the password is checked again: a hash of the same
 * password passes, another password does not.
 */
export async function proveUntilUnchanged<P, T>(
  prove: () => Promise<P>,
  act: (proof: P) => Promise<T | undefined>,
): Promise<T> {
  for (let proof = 1; proof <= MAX_PROOFS; proof++) {
    const result = await act(await prove())
    if (result !== undefined) return result
  }
  return refuse(signInErrors.password_being_changed())
}

/**
 * Refuses to move or delete an account whose address was taken back, until its owner has set a password. Somebody else may
 * still sign in with an older passkey, and would end the link that the owner sets the password with. Call it in the transaction
 * of the change, with the account locked.
 */
export function refuseUntilReset({ reviewsAccess, passwordHash }: Account): void {
  if (reviewsAccess && passwordHash === null) refuse(signInErrors.password_needed_after_restore())
}
