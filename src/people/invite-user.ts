import { USER_ROLE } from '../access/built-in-roles.ts'
import { createUser } from '../access/create-user.ts'
import { findHoldings, refuseGivingMore, type UserHoldings } from '../access/holdings.ts'
import { findRole, holdingsOf } from '../access/role-store.ts'
import { recordEvent } from '../audit/record-event.ts'
import { refuse } from '../errors.ts'
import { invitationMail } from '../mail/messages.ts'
import { queueMail } from '../mail/queue-mail.ts'
import { giveRole } from '../roles/assign-role.ts'
import type { Services } from '../services.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { beginAdministration } from '../sessions/administer.ts'
import { issueEmailToken } from '../sign-in/issue-email-token.ts'
import type { Reader, Trx } from '../storage/database.ts'
import { normalizeEmail } from '../users/email-address.ts'
import { normalizePassword, refuseWeakPassword } from '../users/password-rules.ts'
import { refuseUnusableUsername } from '../users/usable-username.ts'
import { findUser } from '../users/user-store.ts'
import type { User } from '../users/user.ts'

export interface Invited {
  email: string
  password?: string
  displayName?: string | null
  preferredUsername?: string
  given_name?: string | null
  family_name?: string | null
  email_verified?: boolean
  roleIds?: string[]
}

/** Makes an account for somebody else. Without a password they get a mail with a link to set one. */
export async function inviteUser(services: Services, asked: Invited, actor: SignedInActor): Promise<User> {
  const { db, passwords } = services
  const roleIds = [...new Set(asked.roleIds)].filter((id) => id !== USER_ROLE)
  // What is not theirs to give is refused before anything is said about the email.
  await refuseRoles(db.read, await findHoldings(db.read, actor.id), roleIds)
  const email = normalizeEmail(asked.email)
  if (asked.preferredUsername !== undefined) await refuseUnusableUsername(db.read, asked.preferredUsername)
  const password = asked.password === undefined ? undefined : normalizePassword(asked.password)
  const address = actor.source?.ipAddress ?? ''
  if (password !== undefined)
    await refuseWeakPassword(services, { field: 'password', password, person: asked, address })
  const passwordHash = password === undefined ? null : await passwords.hash(password, address)

  const { id } = await createUser(
    services,
    db,
    {
      email,
      passwordHash,
      emailVerified: asked.email_verified ?? false,
      displayName: asked.displayName ?? undefined,
      givenName: asked.given_name ?? undefined,
      familyName: asked.family_name ?? undefined,
      preferredUsername: asked.preferredUsername,
    },
    async (trx, made) => {
      const held = await beginAdministration(services, trx, actor)
      await refuseRoles(trx, held, roleIds)
      for (const roleId of roleIds) await giveRole(services, trx, held, { userId: made.id, roleId }, actor)
      await recordEvent(services, trx, {
        action: 'user.created',
        outcome: 'success',
        actor,
        target: { type: 'user', id: made.id },
        data: { email, invited: passwordHash === null },
      })
      if (passwordHash === null) await sendInvitation(services, trx, made)
    },
  )
  return (await findUser(db.read, id)) ?? refuse('not_found', 'There is no such user.')
}

/** Making an account is no way around the permission to assign roles. */
async function refuseRoles(db: Reader, held: UserHoldings, roleIds: string[]): Promise<void> {
  if (roleIds.length > 0 && !held.permissions.has('roles:assign')) {
    refuse('forbidden', 'Giving roles needs the permission roles:assign.')
  }
  for (const roleId of roleIds) refuseGivingMore(held, holdingsOf(await findRole(db, roleId)))
}

export async function sendInvitation(
  services: Pick<Services, 'now' | 'random' | 'vault' | 'config'>,
  trx: Trx,
  user: { id: string; email: string },
): Promise<void> {
  const token = await issueEmailToken(services, trx, 'invitation', user)
  await queueMail(services, trx, invitationMail(services.config, user.email, token))
}
