import type { Updateable } from 'kysely'
import { refuseChangingMore, refuseOwnUsername } from '../access/holdings.ts'
import { recordEvent } from '../audit/record-event.ts'
import { refuse } from '../errors.ts'
import type { Services } from '../services.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { administer } from '../sessions/administer.ts'
import { deleteEmailTokens } from '../sign-in/email-token-store.ts'
import { revokeLostCertificates } from '../ssh/revocation/revoke-lost-certificates.ts'
import { isDuplicate } from '../storage/failure.ts'
import type { Schema } from '../storage/schema.ts'
import { normalizeEmail } from '../users/email-address.ts'
import { holdAccount } from '../users/hold-account.ts'
import { type ProfileChange, profileColumns } from '../users/profile-columns.ts'
import { replaceUsername } from '../users/replace-username.ts'
import { refuseUnusableUsername } from '../users/usable-username.ts'
import { findAccountById, updateUser } from '../users/user-store.ts'
import type { User } from '../users/user.ts'
import { sendInvitation } from './invite-user.ts'

export interface UserChange extends ProfileChange {
  email?: string
  email_verified?: boolean
}

/**
 * Changes somebody's attributes, and no others than were asked for. Whoever receives a person's mail can become that
 * person, so nobody changes whoever holds more. Certificates that name a username which is given up are revoked.
 */
export async function changeUser(
  services: Services,
  id: string,
  asked: UserChange,
  actor: SignedInActor,
): Promise<User> {
  try {
    return await administer(services, actor, async (trx, held) => {
      const before = (await holdAccount(trx, id))?.user ?? refuse('not_found', 'There is no such user.')
      await refuseChangingMore(trx, held, id)
      if (Object.keys(asked).length === 0) return before
      const { preferredUsername: from } = before
      const { preferredUsername: to = from } = asked
      const isRenamed = to !== from
      if (isRenamed) refuseOwnUsername(held, id)
      if (isRenamed) await refuseUnusableUsername(trx, to)
      const email = asked.email === undefined ? before.email : normalizeEmail(asked.email)
      const moved = email !== before.email
      // Links that went to the old address are worth nothing at the new one.
      if (moved) await deleteEmailTokens(trx, id, ['reset', 'invitation', 'verification'])
      const user = await updateUser(trx, id, toColumns(asked, email, moved))
      if (isRenamed) await replaceUsername(services, trx, { userId: id, from, to })
      const certificatesRevoked = isRenamed
        ? await revokeLostCertificates(services, trx, [id], 'The username was changed.')
        : 0
      await recordEvent(services, trx, {
        action: 'user.updated',
        outcome: 'success',
        actor,
        target: { type: 'user', id },
        data: {
          fields: Object.keys(asked),
          ...(moved ? { email: { from: before.email, to: email } } : {}),
          ...(isRenamed ? { preferredUsername: { from, to }, certificatesRevoked } : {}),
        },
      })
      return user ?? refuse('not_found', 'There is no such user.')
    })
  } catch (error) {
    if (isDuplicate(error, 'users.email')) refuse('conflict', 'There is already an account with this email.')
    if (isDuplicate(error, 'users.preferred_username')) {
      refuse('conflict', `The username ${asked.preferredUsername} is taken.`)
    }
    throw error
  }
}

/** A new address counts as unverified unless the administrator vouches for it. */
const toColumns = (asked: UserChange, email: string, moved: boolean): Updateable<Schema['users']> => ({
  ...(moved ? { email, email_verified: 0 } : {}),
  ...(asked.email_verified === undefined ? {} : { email_verified: asked.email_verified ? 1 : 0 }),
  ...(asked.email_verified === true ? { never_confirmed: 0 } : {}),
  ...profileColumns(asked),
})

/** For whoever lost the first mail. It makes the earlier link worthless. */
export const inviteAgain = (services: Services, id: string, actor: SignedInActor): Promise<void> =>
  administer(services, actor, async (trx, held) => {
    const account = (await findAccountById(trx, id)) ?? refuse('not_found', 'There is no such user.')
    await refuseChangingMore(trx, held, id)
    if (account.passwordHash !== null) refuse('conflict', 'This person has set a password already.')
    if (account.disabledAt !== null) refuse('conflict', 'This account is disabled.')
    await sendInvitation(services, trx, account.user)
    await recordEvent(services, trx, {
      action: 'user.invited',
      outcome: 'success',
      actor,
      target: { type: 'user', id },
    })
  })
