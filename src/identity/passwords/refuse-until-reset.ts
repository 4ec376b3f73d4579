import { refuse } from '../../errors.ts'
import type { Account } from '../users/user-store.ts'

/**
 * Refuses to move or delete an account whose address was taken back, until its owner has set a password. Somebody else may
 * still sign in with an older passkey, and would end the link that the owner sets the password with. Call it in the transaction
 * of the change, with the account locked.
 */
export function refuseUntilReset({ reviewsAccess, passwordHash }: Account): void {
  if (reviewsAccess && passwordHash === null)
    refuse(
      'forbidden',
      'The address of this account was taken back. First set a password, with the link in the mail that was sent to the address.',
    )
}
