import { isDeepStrictEqual } from 'node:util'
import { refuse } from '../../errors.ts'
import type { Trx } from '../../storage/database.ts'
import { changesAttributes } from './attributes.ts'
import type { CheckedTrx } from './checked-trx.ts'
import { readHoldings, isAdministrator, listMore, type UserHoldings } from './holdings.ts'
import { roleErrors } from './role-errors.ts'

/** What the actor would have after a change and did not have before: to be let in somewhere, or another name there. */
interface Escalation {
  kind: 'admitted' | 'named' | 'sudo'
  /** As people know it: a host, or the name of an application. */
  place: string
}

/**
 * One part of what the actor can do and is called. Reads it as it is now, and returns how to compare it with what it is after
 * the change. Both are read in the transaction of the change, from the rows that decide.
 */
export type EscalationCheck = (
  trx: Trx,
  held: UserHoldings,
) => Promise<(after: UserHoldings) => Promise<Escalation | undefined>>

/**
 * Runs a change of roles, assignments, attributes, clients, sites, hosts or settings, and refuses it when afterwards the actor
 * is let in somewhere, or is called something, that they were not before. What is compared is the whole, before and after, and not
 * by what the request says, so that no way to the same end is forgotten. Administrators may do everything anyway.
 *
 * The caller has the administration lock (`administer`) from before the first reading until the commit: of two changes that
 * are harmless alone and not together, the second one is compared with what the first one has written.
 */
export async function withoutEscalation<T>(
  trx: Trx,
  held: UserHoldings,
  checks: readonly EscalationCheck[],
  change: (trx: CheckedTrx) => Promise<T>,
): Promise<T> {
  if (isAdministrator(held)) return change(trx as CheckedTrx)
  const comparisons: Awaited<ReturnType<EscalationCheck>>[] = []
  for (const check of checks) comparisons.push(await check(trx, held))
  const result = await change(trx as CheckedTrx)
  const after = await readHoldings(trx, held.userId)
  refuseOwnEscalation(held, after)
  for (const compare of comparisons) refuseEscalation(await compare(after))
  return result
}

function refuseEscalation(found: Escalation | undefined): void {
  if (found?.kind === 'admitted') refuse(roleErrors.own_access_admitted({ place: found.place }))
  if (found?.kind === 'sudo') refuse(roleErrors.own_access_sudo({ place: found.place }))
  if (found?.kind === 'named') refuse(roleErrors.own_access_named({ place: found.place }))
}

/** What the actor is, wherever they are let in: their roles, and what applications are told of them. */
export function refuseOwnEscalation(before: UserHoldings, after: UserHoldings): void {
  if (isAdministrator(before)) return
  const known = new Map(before.roles.map((role) => [role.id, role]))
  for (const { id, name, attributes } of after.roles) {
    const was = known.get(id)
    if (!was) return refuseOwnRole()
    if (was.name !== name) refuse(roleErrors.own_access_role_name())
    if (changesAttributes(was.attributes, attributes)) refuseOwnAttributes()
  }
  if (changesAttributes(before.ownAttributes, after.ownAttributes)) refuseOwnAttributes()
  // A role that is gone takes its attributes along, or leaves those of another role in their place.
  if (!isDeepStrictEqual(sorted(before), sorted(after))) refuseOwnAttributes()
  if (before.username !== after.username) refuse(roleErrors.own_access_username())
  if (before.mustConfirm && !after.mustConfirm) refuse(roleErrors.own_access_confirmation())
  const more = listMore(before, after, 'access')
  if (more.length > 0) refuse(roleErrors.own_access_more({ more: more.toSorted().join(', ') }))
}

export const refuseOwnRole = (): never => refuse(roleErrors.own_access_role())

const refuseOwnAttributes = (): never => refuse(roleErrors.own_access_attributes())

const sorted = ({ attributes }: UserHoldings) => [...attributes].toSorted(([a], [b]) => (a < b ? -1 : 1))
