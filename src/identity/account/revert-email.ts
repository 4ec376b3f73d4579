import { refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { RequestSource } from '../../platform/http/request-source.ts'
import { resetMailAfterUndoing } from '../../platform/mail/messages.ts'
import { queueMail } from '../../platform/mail/queue-mail.ts'
import type { Trx } from '../../storage/database.ts'
import { isDuplicate } from '../../storage/failure.ts'
import { LINKS_TO_ADDRESS } from '../../vocabulary/link-purposes.ts'
import { type Ending, type IdentityServices, publish } from '../access-events.ts'
import { notifyOfSecurity } from '../notifications/notify.ts'
import { endSessionsOfUsers } from '../sessions/end-sessions.ts'
import { updatePasswordHash } from '../sign-in/change-password.ts'
import {
  consumeEmailToken,
  deleteEmailTokens,
  deleteLaterReverts,
  type EmailLink,
  findEmailLink,
  issueEmailToken,
} from '../sign-in/email-tokens.ts'
import { deleteKnownBrowsersOfUsers } from '../sign-in/known-browsers.ts'
import { deleteNotMeLinksToOthers } from '../sign-in/owner-links.ts'
import { refuseTakenEmail } from '../users/email-address.ts'
import { lockAccount } from '../users/lock-user.ts'
import { readNames } from '../users/settings-store.ts'
import { updateUser } from '../users/user-store.ts'
import { accountErrors } from './account-errors.ts'

/** Restores the address that an account had before a change, with the link that was sent to it. */
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
      await restoreAddress(services, trx, link, { source, by: 'address_restored' })
      return undefined
    })
  } catch (error) {
    if (isDuplicate(error, 'users.email')) refuseTakenEmail()
    throw error
  }
}

/** What restoring an address ended and removed. */
export type Restored = Ending<'account_taken_over'> & Ending<'signed_out'> & { sessions: number }

/**
 * Restores an address, with the account locked and the link consumed. Whoever made the change may know the password and have added
 * other ways in: the password is cleared, every session and token ends, and what was added from some time before the change was asked
 * for is removed. The restored address gets a link to set a new password; with it the owner sees what is left, and decides what to
 * keep. Links that were mailed to other addresses end: those may be of whoever made the change.
 */
export async function restoreAddress(
  services: IdentityServices,
  trx: Trx,
  { id: userId, email: from, otherEmail: to, accessSince, change }: EmailLink,
  { source, by }: { source: RequestSource; by: 'address_restored' | 'not_me' },
): Promise<Restored> {
  const user = await updateUser(trx, userId, { email: to, email_verified: 1, never_confirmed: 0, review_access: 1 })
  if (!user) return refuseInvalidLink()
  await updatePasswordHash(trx, userId, null)
  await deleteEmailTokens(trx, userId, LINKS_TO_ADDRESS)
  await deleteLaterReverts(trx, userId, change)
  await deleteNotMeLinksToOthers(trx, userId, to)
  await deleteKnownBrowsersOfUsers(trx, [userId])
  const sessions = (await endSessionsOfUsers(services, trx, [userId])).get(userId) ?? 0
  const ended = await publish(services, trx, 'signed_out', { userId, by })
  const reset = await issueEmailToken(services, trx, 'reset', user)
  await queueMail(services, trx, resetMailAfterUndoing(await readNames(trx, services.config, user), to, reset))
  // It is not mailed: the mail with the link to set a new password tells its owner, and whoever made the change needs no link.
  await notifyOfSecurity(services, trx, userId, { type: 'security.email_changed', data: { from, to } })
  // Certificates come last: all revocations update one row.
  const removed = await publish(services, trx, 'account_taken_over', { userId, since: accessSince })
  await recordEvent(services, trx, {
    action: 'user.email_reverted',
    outcome: 'success',
    actor: { id: userId, email: to, source },
    target: { type: 'user', id: userId },
    data: { email: { from, to }, removed },
  })
  return { ...ended, ...removed, sessions, appPasswords: (ended.appPasswords ?? 0) + (removed.appPasswords ?? 0) }
}

const refuseInvalidLink = (): never => refuse(accountErrors.restoring_link_expired())
