import { refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { invitationMail } from '../../platform/mail/messages.ts'
import { queueMail } from '../../platform/mail/queue-mail.ts'
import type { Services } from '../../platform/services.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import { USER_ROLE } from '../../vocabulary/built-in-roles.ts'
import { DEFAULT_LOCALE } from '../../vocabulary/locales.ts'
import { giveRole } from '../manage-roles/assign-role.ts'
import { type Attributes, packAttributes } from '../roles/attributes.ts'
import { withoutEscalation } from '../roles/escalation.ts'
import { readHoldings, holdingsOf, isAdministrator, refuseGivingMore, type UserHoldings } from '../roles/holdings.ts'
import { givesPermissions, requireRole } from '../roles/role-store.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { beginAdministration } from '../sessions/administer.ts'
import { requireFresh } from '../sessions/fresh.ts'
import { issueEmailToken } from '../sign-in/email-tokens.ts'
import { createUser } from '../users/create-user.ts'
import { normalizeEmail } from '../users/email-address.ts'
import { normalizePassword, refuseWeakPassword } from '../users/password-rules.ts'
import { readNames } from '../users/settings-store.ts'
import { userErrors } from '../users/user-errors.ts'
import { findUser } from '../users/user-store.ts'
import { refuseReservedUsername, refuseUnusableUsername } from '../users/usernames.ts'
import { manageUsersErrors } from './manage-users-errors.ts'
import { findPerson, type Person } from './user-details-store.ts'

export interface InviteUserRequest {
  email: string
  password?: string
  displayName?: string | null
  preferredUsername?: string
  given_name?: string | null
  family_name?: string | null
  email_verified?: boolean
  attributes?: Attributes
  roleIds?: string[]
}

/** Creates an account for another person. Without a password, they get a mail with a link to set one. */
export async function inviteUser(
  services: Services,
  request: InviteUserRequest,
  actor: SignedInActor,
): Promise<Person> {
  const { db, passwords } = services
  const roleIds = [...new Set(request.roleIds)].filter((id) => id !== USER_ROLE)
  // Refused before the email is checked, so that the answer does not say whether the email is taken.
  const held = await readHoldings(db.read, actor.id)
  await refuseRoles(db.read, held, roleIds)
  if (request.password !== undefined || (await givesPermissions(db.read, roleIds)))
    await requireFresh(services, db.read, actor)
  const email = normalizeEmail(request.email)
  if (request.preferredUsername !== undefined) {
    await refuseUnusableUsername(db.read, request.preferredUsername, { isAdministrator: isAdministrator(held) })
  }
  const password = request.password === undefined ? undefined : normalizePassword(request.password)
  const address = actor.source?.ipAddress ?? ''
  if (password !== undefined)
    await refuseWeakPassword(services, { field: 'password', password, person: request, address })
  const passwordHash = password === undefined ? null : await passwords.hash(password, address)

  let user: Person | undefined
  await createUser(
    services,
    db,
    {
      email,
      passwordHash,
      emailVerified: request.email_verified ?? false,
      displayName: request.displayName ?? undefined,
      givenName: request.given_name ?? undefined,
      familyName: request.family_name ?? undefined,
      preferredUsername: request.preferredUsername,
      attributes: packAttributes(request.attributes ?? {}),
    },
    async (trx, made) => {
      const held = await beginAdministration(services, trx, actor)
      await refuseRoles(trx, held, roleIds)
      if (request.preferredUsername !== undefined)
        refuseReservedUsername(request.preferredUsername, { isAdministrator: isAdministrator(held) })
      await withoutEscalation(trx, held, [], async (checked) => {
        for (const roleId of roleIds) await giveRole(services, checked, held, { userId: made.id, roleId }, actor)
      })
      await recordEvent(services, trx, {
        action: 'user.created',
        outcome: 'success',
        actor,
        target: { type: 'user', id: made.id },
        data: { email, invited: passwordHash === null },
      })
      if (passwordHash === null) await sendInvitation(services, trx, made, actor)
      user = await findPerson(trx, made.id)
    },
  )
  return user ?? refuse(userErrors.no_such_user())
}

/** Giving roles to a new account needs the same permission as assigning them. */
async function refuseRoles(db: Reader, held: UserHoldings, roleIds: string[]): Promise<void> {
  if (roleIds.length > 0 && !held.permissions.has('roles:assign')) {
    refuse(manageUsersErrors.roles_need_permission())
  }
  for (const roleId of roleIds) refuseGivingMore(held, holdingsOf(await requireRole(db, roleId)), 'everything')
}

export async function sendInvitation(
  services: Pick<Services, 'now' | 'random' | 'vault' | 'config'>,
  trx: Trx,
  user: { id: string; email: string },
  inviter: { id: string; email: string },
): Promise<void> {
  const token = await issueEmailToken(services, trx, 'invitation', user, { issuedBy: inviter.id })
  // The language of somebody who was never here is not known; it is likely that of whoever invites.
  const { displayName = null, locale = DEFAULT_LOCALE } = (await findUser(trx, inviter.id)) ?? {}
  const names = await readNames(trx, services.config, { locale })
  await queueMail(services, trx, invitationMail(names, user.email, token, displayName ?? inviter.email))
}
