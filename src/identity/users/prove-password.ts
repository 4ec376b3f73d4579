import { refuse } from '../../errors.ts'

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
  return refuse('conflict', 'The password is being changed just now. Try again.')
}
