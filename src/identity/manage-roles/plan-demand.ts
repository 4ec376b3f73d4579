import { atField, refuse } from '../../errors.ts'
import { recordEvent, THE_SERVICE } from '../../platform/audit/record-event.ts'
import { isMore, type RoleDemand } from '../../vocabulary/role-demands.ts'
import type { IdentityServices } from '../access-events.ts'
import { skipEscalationCheck } from '../roles/checked-trx.ts'
import { roleErrors } from '../roles/role-errors.ts'
import { beginPlannedDemand, listDueDemands } from '../roles/role-store.ts'
import type { PlannedDemand, Role } from '../roles/role.ts'
import { lockAdministration } from '../sessions/administer.ts'

const MAX_AHEAD_MS = 366 * 24 * 3_600_000

interface Demands {
  requires?: RoleDemand
  requiresNext?: PlannedDemand | null
}

/** What is planned after a change. A plan that the request does not name stays, unless the role demands as much by then. */
export function planDemand(
  before: Pick<Role, 'requires' | 'requiresNext'>,
  { requires = before.requires, requiresNext }: Demands,
  now: number,
): PlannedDemand | null {
  if (requiresNext === undefined) {
    const { requiresNext: kept } = before
    return kept !== null && isMore(kept.requires, requires) ? kept : null
  }
  if (requiresNext === null) return null
  if (!isMore(requiresNext.requires, requires)) refuse(atField('requiresNext', roleErrors.demand_planned_not_more()))
  if (requiresNext.from <= now || requiresNext.from > now + MAX_AHEAD_MS)
    refuse(atField('requiresNext', roleErrors.demand_planned_in_past()))
  return requiresNext
}

/** Whether less is demanded than was planned, or the same later. */
export function isWeakened(planned: PlannedDemand | null, after: Required<Demands>): boolean {
  if (planned === null || !isMore(planned.requires, after.requires)) return false
  const { requiresNext } = after
  return requiresNext === null || isMore(planned.requires, requiresNext.requires) || requiresNext.from > planned.from
}

/** Lets roles demand from now on what was planned for this time. */
export async function beginPlannedDemands(services: Pick<IdentityServices, 'db' | 'now'>): Promise<void> {
  const now = services.now()
  for (const { id, name } of await listDueDemands(services.db.read, now)) {
    await services.db.transaction(async (trx) => {
      // A change that is under way has read what the role demanded before. Nobody is let in by what begins here.
      await lockAdministration(trx)
      const requires = await beginPlannedDemand(skipEscalationCheck(trx), id, now)
      // Another replica has done it, or the plan was changed a moment ago.
      if (requires === undefined) return
      await recordEvent(services, trx, {
        action: 'role.updated',
        outcome: 'success',
        actor: THE_SERVICE,
        target: { type: 'role', id },
        data: { before: name, requires, requiresNext: null },
      })
    })
  }
}
