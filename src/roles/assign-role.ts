import { refuseLastAdministrator } from '../access/administrators.ts'
import { ADMIN_ROLE, USER_ROLE } from '../access/built-in-roles.ts'
import { refuseChangingMore, refuseGivingMore, refuseOwnRole, type UserHoldings } from '../access/holdings.ts'
import { addAssignment, findRole, holdingsOf, listRolesOf, removeAssignment } from '../access/role-store.ts'
import type { Role } from '../access/role.ts'
import { recordEvent } from '../audit/record-event.ts'
import { refuse } from '../errors.ts'
import type { Services } from '../services.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { administer } from '../sessions/administer.ts'
import { certificatesDependOn } from '../ssh/certificates/entitlements.ts'
import { revokeLostCertificates } from '../ssh/revocation/revoke-lost-certificates.ts'
import type { Reader, Trx } from '../storage/database.ts'
import { accountExists } from '../users/account-standing.ts'
import type { AuditAction } from '../vocabulary/audit-actions.ts'

type Needs = Pick<Services, 'db' | 'now'>

interface Assignment {
  userId: string
  roleId: string
}

/** Gives somebody a role. Giving it again changes nothing. */
export const assignRole = (services: Needs, { userId, roleId }: Assignment, actor: SignedInActor): Promise<Role[]> =>
  administer(services, actor, async (trx, held) => {
    await refuseUnknownUser(trx, userId)
    refuseOwnRole(held, userId)
    await refuseChangingMore(trx, held, userId)
    await giveRole(services, trx, held, { userId, roleId }, actor)
    return listRolesOf(trx, userId)
  })

/** The rule and the act, for whoever has a transaction already. */
export async function giveRole(
  services: Pick<Services, 'now'>,
  trx: Trx,
  held: UserHoldings,
  { userId, roleId }: Assignment,
  actor: SignedInActor,
): Promise<void> {
  const role = await findRole(trx, roleId)
  refuseGivingMore(held, holdingsOf(role))
  if (!(await addAssignment(trx, userId, roleId))) return
  await record(services, trx, 'role.assigned', actor, userId, role)
}

/** Takes a role from somebody, and revokes the certificates that name what they have lost with it. */
export const unassignRole = (services: Needs, { userId, roleId }: Assignment, actor: SignedInActor): Promise<Role[]> =>
  administer(services, actor, async (trx, held) => {
    await refuseUnknownUser(trx, userId)
    const role = await findRole(trx, roleId)
    await refuseChangingMore(trx, held, userId)
    if (roleId === USER_ROLE) refuse('conflict', 'Everyone with an account has this role.')
    if (roleId === ADMIN_ROLE) await refuseLastAdministrator(trx, [userId])
    if (!(await removeAssignment(trx, userId, roleId))) refuse('not_found', 'This person does not have this role.')
    const certificatesRevoked = certificatesDependOn(role)
      ? await revokeLostCertificates(services, trx, [userId], 'A role was taken away.')
      : 0
    await record(services, trx, 'role.unassigned', actor, userId, role, { certificatesRevoked })
    return listRolesOf(trx, userId)
  })

export async function refuseUnknownUser(db: Reader, userId: string): Promise<void> {
  const found = await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where(accountExists)
    .executeTakeFirst()
  if (!found) refuse('not_found', 'There is no such user.')
}

const record = (
  services: Pick<Services, 'now'>,
  trx: Trx,
  action: AuditAction,
  actor: SignedInActor,
  userId: string,
  role: Role,
  also: Record<string, unknown> = {},
): Promise<void> =>
  recordEvent(services, trx, {
    action,
    outcome: 'success',
    actor,
    target: { type: 'user', id: userId },
    data: { roleId: role.id, role: role.name, ...also },
  })
