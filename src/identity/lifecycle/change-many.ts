import { refuse, atField } from '../../errors.ts'
import { dryRunning, type Reader } from '../../storage/database.ts'
import type { Permission } from '../../vocabulary/permissions.ts'
import type { IdentityServices } from '../access-events.ts'
import { assignRole } from '../manage-roles/assign-role.ts'
import { inviteAgain } from '../manage-users/change-user.ts'
import { type Outcome, outcomeOf } from '../manage-users/outcome-of-each.ts'
import { givesPermissions } from '../roles/role-store.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { requireFresh } from '../sessions/fresh.ts'
import { changeAs } from '../sessions/lock-actor.ts'
import { findUser } from '../users/user-store.ts'
import { changeNow, planAction, refusePast } from './change-lifecycle.ts'
import { lifecycleErrors } from './lifecycle-errors.ts'

export const BATCH_ACTIONS = ['disable', 'enable', 'assign_role', 'invite'] as const

export interface BatchRequest {
  ids: string[]
  action: (typeof BATCH_ACTIONS)[number]
  roleId?: string
  executeAt?: number
  reason?: string
  dryRun?: boolean
}

/** The permission of the single act. */
const NEEDED: Record<BatchRequest['action'], Permission> = {
  disable: 'users:lifecycle',
  enable: 'users:lifecycle',
  assign_role: 'roles:assign',
  invite: 'users:write',
}

/** Does the same to many users, to each on its own. A dry run finds out what would be refused, and changes nothing. */
export async function changeMany(
  services: IdentityServices,
  request: BatchRequest,
  signedIn: SignedInActor,
): Promise<(Outcome & { id: string })[]> {
  const actor = { ...signedIn, permission: NEEDED[request.action] }
  // Refused as a whole when the caller may not do it at all. Each single change checks it again.
  await changeAs(services, actor, async () => {})
  refuseSuperfluous(request, services.now())
  if (await givesAccess(services.db.read, request)) await requireFresh(services, services.db.read, actor)
  const dry = { ...services, db: dryRunning(services.db) }
  const results: (Outcome & { id: string })[] = []
  for (const id of request.ids) {
    const outcome = await outcomeOf(services, async () => {
      // What is so already is tried too: the caller may not be allowed to know.
      const isSo = await isAlready(services, id, request)
      await act(request.dryRun || isSo ? dry : services, id, request, actor)
      return isSo ? 'unchanged' : 'done'
    })
    results.push({ id, ...outcome })
  }
  return results
}

/** Whether the single acts need a fresh sign-in. */
async function givesAccess(db: Reader, { action, roleId }: BatchRequest): Promise<boolean> {
  if (action === 'assign_role') return roleId !== undefined && givesPermissions(db, [roleId])
  return action === 'enable'
}

function refuseSuperfluous({ action, roleId, executeAt, reason }: BatchRequest, now: number): void {
  if (action === 'assign_role' && roleId === undefined) refuse(atField('roleId', lifecycleErrors.role_missing()))
  if (action !== 'assign_role' && roleId !== undefined)
    refuse(atField('roleId', lifecycleErrors.action_takes_no_role({ action })))
  const isLifecycle = action === 'disable' || action === 'enable'
  if (!isLifecycle && executeAt !== undefined)
    refuse(atField('executeAt', lifecycleErrors.action_not_plannable({ action })))
  if (!isLifecycle && reason !== undefined)
    refuse(atField('reason', lifecycleErrors.action_takes_no_reason({ action })))
  if (executeAt !== undefined) refusePast(executeAt, now)
}

/** Whether nothing is left to do for this user. */
async function isAlready(
  { db }: Pick<IdentityServices, 'db'>,
  id: string,
  { action, roleId, executeAt }: BatchRequest,
): Promise<boolean> {
  if (executeAt !== undefined || action === 'invite') return false
  const user = await findUser(db.read, id)
  if (!user) return false
  if (action === 'assign_role') return user.roles.some((role) => role.id === roleId)
  return (user.disabled_at !== null) === (action === 'disable')
}

async function act(
  services: IdentityServices,
  userId: string,
  { action, roleId = '', executeAt, reason }: BatchRequest,
  actor: SignedInActor,
): Promise<void> {
  switch (action) {
    case 'assign_role':
      await assignRole(services, { userId, roleId }, actor)
      return
    case 'invite':
      return inviteAgain(services, userId, actor)
    case 'disable':
    case 'enable': {
      const change = { userId, action, reason }
      if (executeAt === undefined) await changeNow(services, change, actor)
      else await planAction(services, { ...change, executeAt }, actor)
    }
  }
}
