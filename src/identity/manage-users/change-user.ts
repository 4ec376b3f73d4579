import { refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import {
  emailChangedByAdministratorMail,
  emailChangedNotice,
  resetMailByAdministrator,
} from '../../platform/mail/messages.ts'
import { queueNotice, queueMail } from '../../platform/mail/queue-mail.ts'
import type { Services } from '../../platform/services.ts'
import { isDuplicate } from '../../storage/failure.ts'
import { LINKS_OF_OWNER, LINKS_TO_ADDRESS } from '../../vocabulary/link-purposes.ts'
import { type IdentityServices, publish, usernameLossChecks } from '../access-events.ts'
import { completeRename } from '../account/update-profile.ts'
import type { Attributes } from '../roles/attributes.ts'
import { refuseOwnEscalation, withoutEscalation } from '../roles/escalation.ts'
import { isAdministrator, refuseIfHoldsMore } from '../roles/holdings.ts'
import { replaceAttributes } from '../roles/role-store.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { administer } from '../sessions/administer.ts'
import { deleteEmailTokens, issueEmailToken } from '../sign-in/email-tokens.ts'
import { tellOwner } from '../sign-in/tell-owner.ts'
import { mayAct } from '../users/account-state.ts'
import { normalizeEmail, refuseReservedEmail, refuseTakenEmail } from '../users/email-address.ts'
import { lockAccount } from '../users/lock-user.ts'
import { deleteRetiredUsername } from '../users/retired-usernames.ts'
import { readNames } from '../users/settings-store.ts'
import { userErrors } from '../users/user-errors.ts'
import { findAccountById, updateUser, findUser, type UserColumns } from '../users/user-store.ts'
import { profileColumns, type ProfileChange, type User } from '../users/user.ts'
import { refuseTakenUsername, refuseUnusableUsername } from '../users/usernames.ts'
import { sendInvitation } from './invite-user.ts'
import { manageUsersErrors } from './manage-users-errors.ts'
import { findPerson, type Person } from './user-details-store.ts'

export interface UserChange extends ProfileChange {
  email?: string
  email_verified?: boolean
  attributes?: Attributes
}

/**
 * Changes attributes of a user, only those that the request names. Who receives a person's mail can reset the password, and
 * who has a person's name is taken for that person: to change them, everything counts that the person has. Certificates that
 * name the old username are revoked, and the old address gets a mail; one that was never confirmed may be a stranger's, and is
 * not told the new one.
 */
export async function changeUser(
  services: IdentityServices,
  id: string,
  changes: UserChange,
  actor: SignedInActor,
): Promise<Person> {
  try {
    return await administer(services, actor, async (trx, held) => {
      const { user: before, wasConfirmed } = (await lockAccount(trx, id)) ?? refuseUnknown()
      const { preferredUsername: from } = before
      const { preferredUsername: to = from, attributes } = changes
      const email = changes.email === undefined ? before.email : normalizeEmail(changes.email)
      const isMoved = email !== before.email
      const { email_verified: isVerified = before.email_verified } = changes
      const isAddressChanged = isMoved || isVerified !== before.email_verified
      const takesOver = isAddressChanged || to !== from
      await refuseIfHoldsMore(trx, held, id, takesOver ? 'everything' : 'access')
      if (Object.keys(changes).length === 0) return (await findPerson(trx, id)) ?? refuseUnknown()
      const isOwn = id === held.userId
      // Before a name that is taken is told (403 before 409).
      if (isOwn) refuseOwnEscalation(held, { ...held, username: to, ownAttributes: attributes ?? held.ownAttributes })
      if (isOwn && isAddressChanged) refuse(manageUsersErrors.own_email_in_account())
      if (to !== from) await refuseUnusableUsername(trx, to, { isAdministrator: isAdministrator(held) })
      // Links that were sent to the old address stop working, also those that would restore an earlier one or undo anything.
      if (isMoved) await deleteEmailTokens(trx, id, [...LINKS_TO_ADDRESS, ...LINKS_OF_OWNER])
      const checks = to === from ? [] : await usernameLossChecks(services, trx, from)
      const renamed = await withoutEscalation(trx, held, checks, async (checked) => {
        await updateUser(trx, id, toColumns(changes, before, email))
        if (attributes) await replaceAttributes(checked, id, attributes)
        if (isMoved) await refuseReservedEmail(trx, { email, userId: id, now: services.now() })
        // A new username is compared together with the attributes.
        if (to !== from) return completeRename(services, trx, { userId: id, from, to })
        return attributes ? publish(services, trx, 'attributes_changed', { userId: id }) : {}
      })
      if (isMoved) {
        const names = await readNames(trx, services.config, before)
        const told = wasConfirmed
          ? emailChangedByAdministratorMail(names, before.email, email)
          : emailChangedNotice(names, before.email)
        await queueNotice(services, trx, told)
      }
      await recordEvent(services, trx, {
        action: 'user.updated',
        outcome: 'success',
        actor,
        target: { type: 'user', id },
        data: {
          fields: Object.keys(changes),
          ...(isMoved ? { email: { from: before.email, to: email } } : {}),
          ...renamed,
        },
      })
      return (await findPerson(trx, id)) ?? refuseUnknown()
    })
  } catch (error) {
    if (isDuplicate(error, 'users.email')) refuseTakenEmail()
    if (isDuplicate(error, 'users.preferred_username')) refuseTakenUsername(changes.preferredUsername ?? '')
    throw error
  }
}

const refuseUnknown = (): never => refuse(userErrors.no_such_user())

/** A new address counts as unverified unless the request says that it is verified. */
const toColumns = (changes: UserChange, before: User, email: string): UserColumns => ({
  ...(email === before.email ? {} : { email, email_verified: 0 }),
  ...(before.email_verified ? { confirmed_email: before.email } : {}),
  ...(changes.email_verified === undefined ? {} : { email_verified: changes.email_verified ? 1 : 0 }),
  ...(changes.email_verified === true ? { never_confirmed: 0 } : {}),
  ...profileColumns(changes),
})

/** Sends the invitation again. The earlier link stops working. */
export const inviteAgain = (services: IdentityServices, id: string, actor: SignedInActor): Promise<void> =>
  administer(services, actor, async (trx, held) => {
    const account = (await findAccountById(trx, id)) ?? refuseUnknown()
    await refuseIfHoldsMore(trx, held, id, 'permissions')
    if (account.passwordHash !== null) refuse(manageUsersErrors.person_has_password())
    if (account.user.lastLoginAt !== null) refuse(manageUsersErrors.person_was_here())
    if (!mayAct(account)) refuse(manageUsersErrors.user_disabled())
    await sendInvitation(services, trx, account.user, actor)
    await recordEvent(services, trx, {
      action: 'user.invited',
      outcome: 'success',
      actor,
      target: { type: 'user', id },
    })
  })

/**
 * Frees a username that is held back for whoever gave it up. Hosts may still have the UNIX account of that name, so the name of
 * somebody who holds more than the caller stays. What the person of a deleted account held is not known any more.
 */
export const releaseUsername = (
  services: Pick<Services, 'db' | 'now' | 'signals'>,
  username: string,
  actor: SignedInActor,
): Promise<void> =>
  administer(services, actor, async (trx, held) => {
    const retired = await deleteRetiredUsername(trx, username)
    if (!retired || retired.reservedUntil <= services.now()) return refuse(manageUsersErrors.username_not_held_back())
    if (!isAdministrator(held) && !(await findUser(trx, retired.userId)))
      refuse(manageUsersErrors.username_of_deleted_account())
    await refuseIfHoldsMore(trx, held, retired.userId, 'everything')
    await recordEvent(services, trx, {
      action: 'user.username_released',
      outcome: 'success',
      actor,
      target: { type: 'user', id: retired.userId },
      data: { username },
    })
    return undefined
  })

/** Sends a person the link to set a new password. Nothing changes until the person uses it. */
export const sendPasswordReset = (services: Services, userId: string, actor: SignedInActor): Promise<void> =>
  administer(services, actor, async (trx, held) => {
    const account = (await lockAccount(trx, userId)) ?? refuse(userErrors.no_such_user())
    // Nobody but its owner reads a confirmed address. Another one may be that of whoever asks for the reset.
    await refuseIfHoldsMore(trx, held, userId, account.user.email_verified ? 'permissions' : 'everything')
    if (!mayAct(account)) refuse(manageUsersErrors.user_disabled())
    const { email } = account.user
    const token = await issueEmailToken(services, trx, 'reset', account.user)
    const names = await readNames(trx, services.config, account.user)
    const told = { type: 'security.password_reset_sent', data: {}, actor } as const
    await tellOwner(services, trx, userId, told, {
      to: email,
      queue: (notMeToken) => queueMail(services, trx, resetMailByAdministrator(names, email, token, notMeToken)),
    })
    await recordEvent(services, trx, {
      action: 'user.password_reset_sent',
      outcome: 'success',
      actor,
      target: { type: 'user', id: userId },
    })
  })
