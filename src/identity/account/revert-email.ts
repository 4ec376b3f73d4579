import { refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { RequestSource } from '../../platform/http/request-source.ts'
import { resetMail } from '../../platform/mail/messages.ts'
import { queueMail } from '../../platform/mail/queue-mail.ts'
import { isDuplicate } from '../../storage/failure.ts'
import { LINKS_TO_ADDRESS } from '../../vocabulary/link-purposes.ts'
import { type IdentityServices, publish } from '../access-events.ts'
import { notify } from '../notifications/notify.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import { updatePasswordHash } from '../sign-in/change-password.ts'
import {
  consumeEmailToken,
  deleteEmailTokens,
  deleteLaterReverts,
  findEmailLink,
  issueEmailToken,
} from '../sign-in/email-tokens.ts'
import { deleteKnownBrowsersOfUsers } from '../sign-in/known-browsers.ts'
import { refuseTakenEmail } from '../users/email-address.ts'
import { lockAccount } from '../users/lock-user.ts'
import { readNames } from '../users/settings-store.ts'
import { updateUser } from '../users/user-store.ts'
import { accountErrors } from './account-errors.ts'

/**
 * Restores the address that an account had before a change, with the link that was sent to it. Whoever made the change may
 * know the password and have added other ways in: the password is cleared, every session and token ends, and what was added
 * from some time before the change was asked for is removed. The restored address gets a link to set a new password; with it the
 * owner sees what is left, and decides what to keep.
 */
export async function revertEmailChange(
  services: IdentityServices,
  token: string,
  source: RequestSource,
): Promise<void> {
  const { db, now } = services
  const found = (await findEmailLink(db.read, token, 'email_revert', now())) ?? refuseInvalidLink()
  const userId = found.id
  try {
    await db.transaction(async (trx) => {
      await lockAccount(trx, userId)
      const link = await findEmailLink(trx, token, 'email_revert', now())
      if (!link || !(await consumeEmailToken(trx, token, now()))) return refuseInvalidLink()
      const { email: from, otherEmail: to, accessSince, change } = link
      const user = await updateUser(trx, userId, {
        email: to,
        email_verified: 1,
        never_confirmed: 0,
        review_access: 1,
      })
      if (!user) return refuseInvalidLink()
      await updatePasswordHash(trx, userId, null)
      await deleteEmailTokens(trx, userId, LINKS_TO_ADDRESS)
      await deleteLaterReverts(trx, userId, change)
      await deleteKnownBrowsersOfUsers(trx, [userId])
      await endSessions(services, trx, { userId, way: 'address_restored' })
      await publish(services, trx, 'signed_out', { userId, by: 'address_restored' })
      const reset = await issueEmailToken(services, trx, 'reset', user)
      await queueMail(services, trx, resetMail(await readNames(trx, services.config, user), to, reset))
      await notify(services, trx, userId, 'security.email_changed', { from, to })
      // Certificates come last: all revocations update one row.
      const removed = await publish(services, trx, 'account_taken_over', { userId, since: accessSince })
      await recordEvent(services, trx, {
        action: 'user.email_reverted',
        outcome: 'success',
        actor: { id: userId, email: to, source },
        target: { type: 'user', id: userId },
        data: { email: { from, to }, removed },
      })
      return undefined
    })
  } catch (error) {
    if (isDuplicate(error, 'users.email')) refuseTakenEmail()
    throw error
  }
}

const refuseInvalidLink = (): never => refuse(accountErrors.restoring_link_expired())
