import { refuse, atField } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { addressKey } from '../../platform/limits/address-queue.ts'
import { LIMITS } from '../../platform/limits/limits.ts'
import { emailChangedMail, emailChangedNotice, emailChangeMail } from '../../platform/mail/messages.ts'
import { queueMail, queueNotice } from '../../platform/mail/queue-mail.ts'
import type { Services } from '../../platform/services.ts'
import { MAX_CLOCK_SKEW_MS } from '../../storage/columns.ts'
import type { Reader } from '../../storage/database.ts'
import { isDuplicate } from '../../storage/failure.ts'
import { LINKS_TO_ADDRESS } from '../../vocabulary/link-purposes.ts'
import { notifyOfSecurity } from '../notifications/notify.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/lock-actor.ts'
import { sessionErrors } from '../sessions/session-errors.ts'
import type { SignedIn } from '../sessions/session.ts'
import { consumeEmailToken, deleteEmailTokens, findEmailLink, issueEmailToken } from '../sign-in/email-tokens.ts'
import { isProofCurrent, refuseUntilReset, withProof } from '../sign-in/prove-owner.ts'
import { signInErrors } from '../sign-in/sign-in-errors.ts'
import type { SignInSource } from '../sign-in/sign-in-source.ts'
import { tellOwner } from '../sign-in/tell-owner.ts'
import {
  refuseForeignDomain,
  normalizeEmail,
  refuseReservedEmail,
  refuseTakenEmail,
  isEmailTaken,
} from '../users/email-address.ts'
import { readNames } from '../users/settings-store.ts'
import { findAccountByEmail, findAccountById, updateUser } from '../users/user-store.ts'
import type { User } from '../users/user.ts'
import { accountErrors } from './account-errors.ts'

interface ChangeEmailRequest {
  email: string
  currentPassword?: string
  source: SignInSource
  signedIn: SignedIn
}

/**
 * Sends a link to a new address, which becomes that of the account when it is confirmed. Until then it is free for others,
 * and a later request replaces this one. Beyond the limits on mail it sends nothing, with the same answer. Whoever tries many
 * addresses learns which ones have an account: each that is taken counts like a wrong password, and for the person, because
 * every sign-in makes another browser a known one with a count of its own.
 */
export const requestEmailChange = (
  services: Services,
  request: ChangeEmailRequest,
  actor: SignedInActor,
): Promise<void> =>
  services.limits.attempt(
    [[LIMITS.takenEmailByPerson, actor.id]],
    () => sendChangeLink(services, request, actor),
    isEmailTaken,
  )

async function sendChangeLink(
  services: Services,
  { source, signedIn, currentPassword, ...request }: ChangeEmailRequest,
  actor: SignedInActor,
): Promise<void> {
  const { limits } = services
  const email = normalizeEmail(request.email)
  await withProof(services, { actor, signedIn, currentPassword, source, isGuess: isEmailTaken }, async (proof) => {
    await refuseForeignDomain(services.db.read, services.config, email)
    await refuseUnusableEmail(services, services.db.read, email, actor)
    const address = addressKey(source.ipAddress)
    const within = await Promise.all([
      limits.fail(LIMITS.mailByEmailAndAddress, `${email} ${address}`),
      limits.fail(LIMITS.mailByAddress, address),
    ])
    return changeOwnAccount(services, actor, async (trx) => {
      if (!(await isProofCurrent(trx, actor.id, proof))) return undefined
      if (!within.every(Boolean)) return true
      const account = (await findAccountById(trx, actor.id)) ?? refuse(sessionErrors.not_signed_in())
      refuseUntilReset(account)
      const { user } = account
      const accessSince = Math.min(signedIn.session.createdAt - MAX_CLOCK_SKEW_MS, services.now() - DISTRUSTED_MS)
      const token = await issueEmailToken(services, trx, 'email_change', user, { otherEmail: email, accessSince })
      await queueMail(services, trx, emailChangeMail(await readNames(trx, services.config, user), email, token))
      await recordEvent(services, trx, {
        action: 'user.email_change_requested',
        outcome: 'success',
        actor,
        target: { type: 'user', id: actor.id },
        data: { email },
      })
      return true
    })
  })
}

/**
 * If somebody else asked for the change, they may have had the account for a while before. What was added in this time goes
 * when the address is taken back, and also what was added since their session began. Clocks of replicas may differ a little.
 */
const DISTRUSTED_MS = 7 * 24 * 3_600_000

/**
 * Makes the new address that of the account, with the link that was sent to it. The old address, if it was confirmed, gets a link
 * that restores it: somebody else may have made the change. Nobody has proved to read mail at an address that was not confirmed.
 * Whoever registered it may be a stranger, so its owner gets no link to the stranger's account.
 */
export async function confirmEmailChange(services: Services, token: string, actor: SignedInActor): Promise<User> {
  const { now } = services
  try {
    return await changeOwnAccount(services, actor, async (trx) => {
      const link = await findEmailLink(trx, token, 'email_change', now())
      if (link && link.id !== actor.id) refuse(signInErrors.link_of_another_account())
      if (!link || !(await consumeEmailToken(trx, token, now()))) return refuse(signInErrors.link_expired())
      const account = (await findAccountById(trx, actor.id)) ?? refuse(sessionErrors.not_signed_in())
      refuseUntilReset(account)
      const { email: from, otherEmail: to } = link
      // The domains may have been set since.
      await refuseForeignDomain(trx, services.config, to)
      // Told before the new address counts as confirmed, so that the mail goes to the one that was.
      const event = { type: 'security.email_changed', data: { from, to } } as const
      const names = await readNames(trx, services.config, account.user)
      const notified = account.wasConfirmed ? await notifyOfSecurity(services, trx, actor.id, event) : undefined
      if (!account.wasConfirmed) {
        const queue = () => queueNotice(services, trx, emailChangedNotice(names, from))
        await tellOwner(services, trx, actor.id, { ...event, actor }, { to: from, queue })
      }
      const user = await updateUser(trx, actor.id, { email: to, email_verified: 1, never_confirmed: 0 })
      if (!user) return refuse(sessionErrors.not_signed_in())
      await refuseReservedEmail(trx, { email: to, userId: actor.id, now: now() })
      await deleteEmailTokens(trx, actor.id, LINKS_TO_ADDRESS)
      if (notified) {
        // The clock may have been wrong when the change was asked for.
        const accessSince = Math.min(link.accessSince, now() - DISTRUSTED_MS)
        const about = { notificationId: notified.id }
        const revert = await issueEmailToken(services, trx, 'email_revert', user, {
          otherEmail: from,
          accessSince,
          about,
        })
        await queueMail(services, trx, emailChangedMail(names, from, revert, to))
      }
      await recordEvent(services, trx, {
        action: 'user.email_changed',
        outcome: 'success',
        actor,
        target: { type: 'user', id: actor.id },
        data: { email: { from, to } },
      })
      return user
    })
  } catch (error) {
    if (isDuplicate(error, 'users.email')) refuseTakenEmail()
    throw error
  }
}

/** An address that is taken is told at once. It is checked again when the change is confirmed. */
async function refuseUnusableEmail(
  { now }: Pick<Services, 'now'>,
  db: Reader,
  email: string,
  { id }: SignedInActor,
): Promise<void> {
  const holder = await findAccountByEmail(db, email)
  if (holder?.user.id === id) refuse(atField('email', accountErrors.own_email_already()))
  if (holder) refuseTakenEmail()
  await refuseReservedEmail(db, { email, userId: id, now: now() })
}
