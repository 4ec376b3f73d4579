import { refuse, atField } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { newId } from '../../platform/ids.ts'
import type { Trx } from '../../storage/database.ts'
import { isDuplicate } from '../../storage/failure.ts'
import type { AuditAction } from '../../vocabulary/audit-actions.ts'
import { ADMIN_ROLE } from '../../vocabulary/built-in-roles.ts'
import { isPermission } from '../../vocabulary/permissions.ts'
import { isMore, type RoleDemand } from '../../vocabulary/role-demands.ts'
import {
  type IdentityServices,
  MAX_NAMED_HOLDERS,
  publish,
  roleChangeChecks,
  roleLossChecks,
} from '../access-events.ts'
import { type Attributes, changesAttributes, packAttributes } from '../roles/attributes.ts'
import { refuseOwnEscalation, withoutEscalation } from '../roles/escalation.ts'
import { holdingsOf, refuseChangingStrongerRole, refuseGivingMore, type UserHoldings } from '../roles/holdings.ts'
import { roleErrors } from '../roles/role-errors.ts'
import {
  requireRole,
  addPermission,
  addRole,
  deletePermission,
  deleteRole,
  holdsRole,
  lockPrincipalsOfRole,
  listHolderIds,
  updateRole,
} from '../roles/role-store.ts'
import { certificatesDependOn, type NewRole, type PlannedDemand, type Role } from '../roles/role.ts'
import {
  checkSshRules,
  giftsOf,
  givesAtLeast,
  isAtLeastAsLoose,
  limitsOf,
  type RoleSsh,
  writeRoleSsh,
} from '../roles/ssh-rules.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { administer } from '../sessions/administer.ts'
import { requireFresh } from '../sessions/fresh.ts'
import { refuseLockingOut } from '../sessions/lock-out.ts'
import { refuseUsernames } from '../users/usernames.ts'
import { isWeakened, planDemand } from './plan-demand.ts'

type RoleServices = Pick<IdentityServices, 'config' | 'db' | 'now' | 'accessSubscribers'>

export const createRole = (services: RoleServices, input: NewRole, actor: SignedInActor): Promise<Role> =>
  administer(services, actor, async (trx, held) => {
    const { principals = [], permissions = [], attributes = {} } = input
    const ssh = checkSshRules(input.ssh ?? null)
    refuseGivingMore(held, holdingsOf({ name: input.name, permissions, principals, ssh, attributes }), 'access')
    if (permissions.length > 0) await requireFresh(services, trx, actor)
    await refuseUsernames(trx, principals)
    const id = newId()
    await withoutEscalation(trx, held, roleChangeChecks(services), (checked) =>
      addRole(checked, id, { ...input, ssh }, services.now()).catch(refuseTakenName),
    )
    const role = await requireRole(trx, id)
    await record(services, trx, 'role.created', actor, id, { name: role.name, permissions, principals, ssh })
    return role
  })

export interface RoleChange {
  name?: string
  description?: string
  principals?: string[]
  attributes?: Attributes
  /** Replaces the earlier rules as a whole. */
  ssh?: RoleSsh | null
  requires?: RoleDemand
  /** What it will demand from a time on; null for nothing else than now. */
  requiresNext?: PlannedDemand | null
}

/**
 * Changes only the fields that the request names. A built-in role keeps its name; the rest can be changed. Certificates
 * that name a principal which the role no longer gives, or that its rules no longer allow, are revoked.
 */
export const changeRole = (
  services: RoleServices,
  id: string,
  changes: RoleChange,
  actor: SignedInActor,
): Promise<Role> =>
  administer(services, actor, async (trx, held) => {
    const before = await requireRole(trx, id)
    const { name, description, principals = before.principals, attributes, requires = before.requires } = changes
    const ssh = changes.ssh === undefined ? before.ssh : checkSshRules(changes.ssh)
    refuseChangingStrongerRole(held, holdingsOf(before))
    refuseGivingMore(held, holdingsOf({ ...before, principals, ssh }), 'access')
    refuseOwnEscalation(held, withChangedRole(held, id, changes))
    if (before.builtIn && changes.name !== undefined && changes.name !== before.name) {
      refuse(roleErrors.built_in_role_keeps_name())
    }
    const requiresNext = planDemand(before, changes, services.now())
    if (isMore(before.requires, requires) || isWeakened(before.requiresNext, { requires, requiresNext }))
      await requireFresh(services, trx, actor)
    for (const demand of [requires, requiresNext?.requires ?? 'none'])
      if (isMore(demand, before.requires))
        await refuseLockingOut(trx, actor, { demand, holds: (userId) => holdsRole(trx, userId, id) })
    const added = principals.filter((name) => !before.principals.includes(name))
    if (added.length > 0) await refuseUsernames(trx, added)
    const losesPrincipals = before.principals.some((name) => !principals.includes(name))
    const isTighter =
      certificatesDependOn(before) &&
      !(isAtLeastAsLoose(limitsOf(ssh), limitsOf(before.ssh)) && givesAtLeast(giftsOf(ssh), giftsOf(before.ssh)))
    const changesValues = changesCertifiedValues(before, changes)
    if (losesPrincipals || isTighter || changesValues) await lockPrincipalsOfRole(trx, id)
    const columns = {
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      ...(changes.principals ? { principals: JSON.stringify(principals) } : {}),
      ...(changes.ssh === undefined ? {} : writeRoleSsh(ssh)),
      ...(attributes ? { attributes: packAttributes(attributes) } : {}),
      ...(requires === before.requires ? {} : { requires }),
      ...(isMore(requires, before.requires) ? { requires_since: services.now() } : {}),
      ...(requiresNext === before.requiresNext
        ? {}
        : { requires_next: requiresNext?.requires ?? null, requires_from: requiresNext?.from ?? null }),
    }
    await withoutEscalation(trx, held, roleChangeChecks(services), (checked) =>
      updateRole(checked, id, columns).catch(refuseTakenName),
    )
    if (changes.name !== undefined && changes.name !== before.name)
      await publish(services, trx, 'role_renamed', { roleId: id })
    const by = losesPrincipals ? 'principal_removed' : isTighter ? 'ssh_rules_tightened' : 'attributes_changed'
    const revoked =
      losesPrincipals || isTighter || changesValues
        ? await publish(services, trx, 'role_reduced', { holderIds: await listHolders(trx, id), by })
        : {}
    await record(services, trx, 'role.updated', actor, id, { ...changes, before: before.name, ...revoked })
    return requireRole(trx, id)
  })

export const removeRole = (services: RoleServices, id: string, actor: SignedInActor): Promise<void> =>
  administer(services, actor, async (trx, held) => {
    const role = await requireRole(trx, id)
    refuseChangingStrongerRole(held, holdingsOf(role))
    if (role.builtIn) refuse(roleErrors.built_in_role_stays())
    const holders = certificatesDependOn(role) ? await listHolders(trx, id) : []
    await publish(services, trx, 'role_deletion', { roleId: id })
    const checks = [...roleChangeChecks(services), ...(held.roleIds.has(id) ? roleLossChecks(services, id) : [])]
    await withoutEscalation(trx, held, checks, (checked) => deleteRole(checked, id))
    const revoked = await publish(services, trx, 'role_reduced', { holderIds: holders, by: 'role_deleted' })
    const { name, permissions } = role
    await record(services, trx, 'role.deleted', actor, id, { name, permissions, ...revoked })
  })

/** Granting again changes nothing. No host is compared: what certificates open depends on permissions only in who may get one. */
export const grantPermission = (
  services: RoleServices,
  roleId: string,
  permission: string,
  actor: SignedInActor,
): Promise<Role> =>
  administer(services, actor, async (trx, held) => {
    const role = await requireRole(trx, roleId)
    if (!isPermission(permission)) refuse(roleErrors.no_such_permission())
    refuseChangingStrongerRole(held, holdingsOf(role))
    refuseGivingMore(held, holdingsOf({ ...role, permissions: [permission], principals: [] }), 'access')
    const isNew = await withoutEscalation(trx, held, [], (checked) => addPermission(checked, roleId, permission))
    if (isNew) {
      await record(services, trx, 'role.permission_granted', actor, roleId, { name: role.name, permission })
    }
    return requireRole(trx, roleId)
  })

export const revokePermission = (
  services: RoleServices,
  roleId: string,
  permission: string,
  actor: SignedInActor,
): Promise<Role> =>
  administer(services, actor, async (trx, held) => {
    const role = await requireRole(trx, roleId)
    refuseChangingStrongerRole(held, holdingsOf(role))
    if (roleId === ADMIN_ROLE) refuse(roleErrors.admin_role_has_all_permissions())
    const wasThere = await withoutEscalation(trx, held, [], (checked) => deletePermission(checked, roleId, permission))
    if (!wasThere) {
      return refuse(roleErrors.role_lacks_permission())
    }
    const revoked =
      permission === 'ssh:cert:issue'
        ? await publish(services, trx, 'role_reduced', {
            holderIds: await listHolders(trx, roleId),
            by: 'permission_revoked',
          })
        : {}
    await record(services, trx, 'role.permission_revoked', actor, roleId, { name: role.name, permission, ...revoked })
    return requireRole(trx, roleId)
  })

/** Roles give attributes in the order of their names, and a certificate may contain the value of one. */
const changesCertifiedValues = (before: Role, { name = before.name, attributes = before.attributes }: RoleChange) =>
  changesAttributes(before.attributes, attributes) ||
  (name !== before.name && Object.keys(before.attributes).length > 0)

/** What the actor would be after the change: a name that is taken is refused only if they could have it (403 before 409). */
const withChangedRole = (held: UserHoldings, id: string, changes: RoleChange): UserHoldings => ({
  ...held,
  roles: held.roles.map((role) =>
    role.id === id ? { id, name: changes.name ?? role.name, attributes: changes.attributes ?? role.attributes } : role,
  ),
})

function refuseTakenName(error: unknown): never {
  if (isDuplicate(error)) refuse(atField('name', roleErrors.role_name_taken()))
  throw error
}

async function listHolders(trx: Trx, roleId: string): Promise<string[] | 'many'> {
  const ids = await listHolderIds(trx, roleId, MAX_NAMED_HOLDERS + 1)
  return ids.length > MAX_NAMED_HOLDERS ? 'many' : ids
}

const record = (
  services: RoleServices,
  trx: Trx,
  action: AuditAction,
  actor: SignedInActor,
  id: string,
  data: Record<string, unknown>,
): Promise<void> =>
  recordEvent(services, trx, { action, outcome: 'success', actor, target: { type: 'role', id }, data })
