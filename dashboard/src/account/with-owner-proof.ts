import { actingUser } from '../api/acting-user.ts'
import { answer, api } from '../api/client.ts'
import { isRefusal } from '../api/failure.ts'
import { PasskeyFailure } from '../lib/passkey-failure.ts'
import { signInWithPasskey } from '../lib/sign-in-with-passkey.ts'

/** Runs a change that needs proof. Somebody without a password signs in with the passkey once more if the server asks. */
export async function withOwnerProof<Answer>(change: () => Promise<Answer>): Promise<Answer> {
  try {
    return await change()
  } catch (failure) {
    if (!isRefusal(failure, 'fresh_sign_in_needed')) throw failure
    const signedIn = await signInWithPasskey()
    if (signedIn.id === actingUser()) return change()
    // The passkey of another account: that session ends again, and this page asks to sign in.
    await answer(api.POST('/api/auth/logout', { headers: { 'X-Latchkey-User': signedIn.id } }))
    throw new PasskeyFailure('failed')
  }
}
