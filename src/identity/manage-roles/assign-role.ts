import { refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { isMissingReference } from '../../storage/failure.ts'
import type { AuditAction } from '../../vocabulary/audit-actions.ts'
import { ADMIN_ROLE, USER_ROLE } from '../../vocabulary/built-in-roles.ts'
import { type IdentityServices, publish, roleLossChecks } from '../access-events.ts'
import { refuseLastAdministrator } from '../roles/administrators.ts'
import type { CheckedTrx } from '../roles/checked-trx.ts'
import { refuseOwnRole, withoutEscalation } from '../roles/escalation.ts'
import {
  holdingsOf,
  isAdministrator,
  refuseIfHoldsMore,
  refuseGivingMore,
  type UserHoldings,
} from '../roles/holdings.ts'
import { roleErrors } from '../roles/role-errors.ts'
import { requireRole, addAssignment, deleteAssignment, listRolesOf } from '../roles/role-store.ts'
import type { Role } from '../roles/role.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { administer } from '../sessions/administer.ts'
import { requireFresh } from '../sessions/fresh.ts'
import { refuseLockingOut } from '../sessions/lock-out.ts'
import { lockUser } from '../users/lock-user.ts'
import { refuseUnknownUser } from '../users/user-store.ts'

type RoleServices = Pick<IdentityServices, 'config' | 'db' | 'now' | 'accessSubscribers'>

interface Assignment {
  userId: string
  roleId: string
}

/** Gives a role to a user. Giving it again changes nothing. */
export const assignRole = (
  services: RoleServices,
  { userId, roleId }: Assignment,
  actor: SignedInActor,
): Promise<Role[]> =>
  administer(services, actor, async (trx, held) => {
    await refuseUnknownUser(trx, userId)
    // Also one that they have: whether they do is no reason to try.
    if (userId === held.userId && !isAdministrator(held)) refuseOwnRole()
    await refuseIfHoldsMore(trx, held, userId, 'everything')
    await lockUser(trx, userId)
    const role = await withoutEscalation(trx, held, [], (checked) =>
      giveRole(services, checked, held, { userId, roleId }, actor),
    )
    if (role) await publish(services, trx, 'role_assigned', { userId, role })
    return listRolesOf(trx, userId)
  })

/** The same in the transaction of another change. Undefined when they have it already. */
export async function giveRole(
  services: Pick<Services, 'now'>,
  trx: CheckedTrx,
  held: UserHoldings,
  { userId, roleId }: Assignment,
  actor: SignedInActor,
): Promise<Role | undefined> {
  const role = await requireRole(trx, roleId)
  refuseGivingMore(held, holdingsOf(role), 'everything')
  if (role.permissions.length > 0) await requireFresh(services, trx, actor)
  await refuseLockingOut(trx, actor, { demand: role.requires, holds: (last) => last === userId })
  const assignment = { userId, roleId, now: services.now() }
  if (!(await addAssignment(trx, assignment).catch(refuseGone))) return undefined
  await record(services, trx, 'role.assigned', actor, userId, role)
  return role
}

/**
 * Takes a role from a user, with what it gave: tokens for applications that only its holders may use, and certificates that name a
 * principal of it.
 */
export const unassignRole = (
  services: RoleServices,
  { userId, roleId }: Assignment,
  actor: SignedInActor,
): Promise<Role[]> =>
  administer(services, actor, async (trx, held) => {
    await refuseUnknownUser(trx, userId)
    const role = await requireRole(trx, roleId)
    await refuseIfHoldsMore(trx, held, userId, 'access')
    if (roleId === USER_ROLE) refuse(roleErrors.role_of_everybody())
    if (roleId === ADMIN_ROLE) await refuseLastAdministrator(trx, [userId])
    // A code that is being issued is issued before this, and revoked below, or sees that the role is gone.
    await lockUser(trx, userId)
    const checks = userId === held.userId ? roleLossChecks(services, roleId) : []
    await withoutEscalation(trx, held, checks, async (checked) => {
      if (!(await deleteAssignment(checked, userId, roleId))) refuse(roleErrors.role_not_held())
    })
    const ended = await publish(services, trx, 'role_unassigned', { userId, role })
    await record(services, trx, 'role.unassigned', actor, userId, role, ended)
    return listRolesOf(trx, userId)
  })

function refuseGone(error: unknown): never {
  if (isMissingReference(error)) refuse(roleErrors.user_or_role_gone())
  throw error
}

const record = (
  services: Pick<Services, 'now'>,
  trx: Trx,
  action: AuditAction,
  actor: SignedInActor,
  userId: string,
  role: Role,
  details: object = {},
): Promise<void> =>
  recordEvent(services, trx, {
    action,
    outcome: 'success',
    actor,
    target: { type: 'user', id: userId },
    data: { roleId: role.id, role: role.name, ...details },
  })
