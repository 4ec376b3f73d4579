import { refuse, refuseField } from '../../errors.ts'
import { whereRoleIsTold } from '../../oauth/access/own-access.ts'
import { planAccessReviewOfRole } from '../../oauth/access/plan-access-review.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { newId } from '../../platform/ids.ts'
import type { Services } from '../../platform/services.ts'
import { certificatesDependOn } from '../../ssh/certificates/principals.ts'
import { atAllSshHosts } from '../../ssh/hosts/host-escalation.ts'
import { MAX_REVIEWED_USERS, revokeCertificatesOfHolders } from '../../ssh/revocation/revoke-lost-certificates.ts'
import type { Trx } from '../../storage/database.ts'
import { isDuplicate } from '../../storage/failure.ts'
import type { AuditAction } from '../../vocabulary/audit-actions.ts'
import { isPermission } from '../../vocabulary/permissions.ts'
import { type Attributes, packAttributes } from '../access/attributes.ts'
import { ADMIN_ROLE } from '../access/built-in-roles.ts'
import { refuseOwnEscalation, withoutEscalation } from '../access/escalation.ts'
import type { UserHoldings } from '../access/holdings-store.ts'
import { holdingsOf, refuseChangingStrongerRole, refuseGivingMore } from '../access/holdings.ts'
import { requireRole } from '../access/require-role.ts'
import {
  addPermission,
  addRole,
  deletePermission,
  deleteRole,
  lockPrincipalsOfRole,
  listHolderIds,
  updateRole,
} from '../access/role-store.ts'
import type { NewRole, Role } from '../access/role.ts'
import { checkSshRules, isAtLeastAsLoose, type SshRules, writeSshRules } from '../access/ssh-rules.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { administer } from '../sessions/administer.ts'
import { refuseUsernames } from '../users/role-principals.ts'

type Needs = Pick<Services, 'config' | 'db' | 'now'>

export const createRole = (services: Needs, input: NewRole, actor: SignedInActor): Promise<Role> =>
  administer(services, actor, async (trx, held) => {
    const { principals = [], permissions = [], attributes = {} } = input
    const ssh = checkSshRules(input.ssh ?? null)
    refuseGivingMore(held, holdingsOf({ name: input.name, permissions, principals, ssh, attributes }), 'access')
    await refuseUsernames(trx, principals)
    const id = newId()
    await withoutEscalation(trx, held, [atAllSshHosts], (checked) =>
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
  ssh?: SshRules | null
}

/**
 * Changes only the fields that the request names. A built-in role keeps its name; the rest can be changed. Certificates
 * that name a principal which the role no longer gives, or that its rules no longer allow, are revoked.
 */
export const changeRole = (services: Needs, id: string, changes: RoleChange, actor: SignedInActor): Promise<Role> =>
  administer(services, actor, async (trx, held) => {
    const before = await requireRole(trx, id)
    const { principals = before.principals, ssh: _ssh, attributes, ...texts } = changes
    const ssh = changes.ssh === undefined ? before.ssh : checkSshRules(changes.ssh)
    refuseChangingStrongerRole(held, holdingsOf(before))
    refuseGivingMore(held, holdingsOf({ ...before, principals, ssh }), 'access')
    refuseOwnEscalation(held, withChangedRole(held, id, changes))
    if (before.builtIn && changes.name !== undefined && changes.name !== before.name) {
      refuse('conflict', 'A built-in role keeps its name.')
    }
    const added = principals.filter((name) => !before.principals.includes(name))
    if (added.length > 0) await refuseUsernames(trx, added)
    const losesPrincipals = before.principals.some((name) => !principals.includes(name))
    const isTighter = certificatesDependOn(before) && !isAtLeastAsLoose(ssh, before.ssh)
    if (losesPrincipals || isTighter) await lockPrincipalsOfRole(trx, id)
    const columns = {
      ...texts,
      ...(changes.principals ? { principals: JSON.stringify(principals) } : {}),
      ...(changes.ssh === undefined ? {} : { ssh: writeSshRules(ssh) }),
      ...(attributes ? { attributes: packAttributes(attributes) } : {}),
    }
    await withoutEscalation(trx, held, [atAllSshHosts], (checked) =>
      updateRole(checked, id, columns).catch(refuseTakenName),
    )
    const reason = losesPrincipals ? 'A role lost a principal.' : 'The SSH rules of a role were tightened.'
    const revoked =
      losesPrincipals || isTighter
        ? await revokeCertificatesOfHolders(services, trx, await listHolders(trx, id), reason)
        : {}
    await record(services, trx, 'role.updated', actor, id, { ...changes, before: before.name, ...revoked })
    return requireRole(trx, id)
  })

export const removeRole = (services: Needs, id: string, actor: SignedInActor): Promise<void> =>
  administer(services, actor, async (trx, held) => {
    const role = await requireRole(trx, id)
    refuseChangingStrongerRole(held, holdingsOf(role))
    if (role.builtIn) refuse('conflict', "A built-in role can't be deleted.")
    const holders = certificatesDependOn(role) ? await listHolders(trx, id) : []
    await planAccessReviewOfRole(services, trx, id)
    const checks = [atAllSshHosts, ...(held.roleIds.has(id) ? [whereRoleIsTold(services, id)] : [])]
    await withoutEscalation(trx, held, checks, (checked) => deleteRole(checked, id))
    const revoked = await revokeCertificatesOfHolders(services, trx, holders, 'A role was deleted.')
    const { name, permissions } = role
    await record(services, trx, 'role.deleted', actor, id, { name, permissions, ...revoked })
  })

/** Granting again changes nothing. No host is compared: what certificates open depends on permissions only in who may get one. */
export const grantPermission = (
  services: Needs,
  roleId: string,
  permission: string,
  actor: SignedInActor,
): Promise<Role> =>
  administer(services, actor, async (trx, held) => {
    const role = await requireRole(trx, roleId)
    if (!isPermission(permission)) refuse('not_found', 'There is no such permission.')
    refuseChangingStrongerRole(held, holdingsOf(role))
    refuseGivingMore(held, holdingsOf({ ...role, permissions: [permission], principals: [] }), 'access')
    const isNew = await withoutEscalation(trx, held, [], (checked) => addPermission(checked, roleId, permission))
    if (isNew) {
      await record(services, trx, 'role.permission_granted', actor, roleId, { name: role.name, permission })
    }
    return requireRole(trx, roleId)
  })

export const revokePermission = (
  services: Needs,
  roleId: string,
  permission: string,
  actor: SignedInActor,
): Promise<Role> =>
  administer(services, actor, async (trx, held) => {
    const role = await requireRole(trx, roleId)
    refuseChangingStrongerRole(held, holdingsOf(role))
    if (roleId === ADMIN_ROLE) refuse('conflict', "The administrator's role has every permission.")
    const wasThere = await withoutEscalation(trx, held, [], (checked) => deletePermission(checked, roleId, permission))
    if (!wasThere) {
      return refuse('not_found', 'The role does not have this permission.')
    }
    const revoked =
      permission === 'ssh:cert:issue'
        ? await revokeCertificatesOfHolders(services, trx, await listHolders(trx, roleId), LOST_PERMISSION)
        : {}
    await record(services, trx, 'role.permission_revoked', actor, roleId, { name: role.name, permission, ...revoked })
    return requireRole(trx, roleId)
  })

/** What the actor would be after the change: a name that is taken is refused only if they could have it (403 before 409). */
const withChangedRole = (held: UserHoldings, id: string, changes: RoleChange): UserHoldings => ({
  ...held,
  roles: held.roles.map((role) =>
    role.id === id ? { id, name: changes.name ?? role.name, attributes: changes.attributes ?? role.attributes } : role,
  ),
})

function refuseTakenName(error: unknown): never {
  if (isDuplicate(error)) refuseField('name', 'There is already a role of this name.', 'conflict')
  throw error
}

const LOST_PERMISSION = 'A role lost the permission to get certificates.'

/** One more than one transaction reviews, so that it is known when there are too many. */
const listHolders = (trx: Trx, roleId: string): Promise<string[]> => listHolderIds(trx, roleId, MAX_REVIEWED_USERS + 1)

const record = (
  services: Needs,
  trx: Trx,
  action: AuditAction,
  actor: SignedInActor,
  id: string,
  data: Record<string, unknown>,
): Promise<void> =>
  recordEvent(services, trx, { action, outcome: 'success', actor, target: { type: 'role', id }, data })
