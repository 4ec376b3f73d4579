import { isDeepStrictEqual } from 'node:util'
import { refuse } from '../../errors.ts'
import type { Trx } from '../../storage/database.ts'
import { changesAttributes } from './attributes.ts'
import type { CheckedTrx } from './checked-trx.ts'
import { readHoldings, isAdministrator, listMore, type UserHoldings } from './holdings.ts'

/** What the actor would have after a change and did not have before: to be let in somewhere, or another name there. */
interface Escalation {
  kind: 'admitted' | 'named'
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
  if (found?.kind === 'admitted')
    refuse('own_access', `This would let you in at ${found.place}. Somebody else has to do it.`)
  if (found?.kind === 'named')
    refuse('own_access', `This would change what you are called at ${found.place}. Somebody else has to do it.`)
}

/** What the actor is, wherever they are let in: their roles, and what applications are told of them. */
export function refuseOwnEscalation(before: UserHoldings, after: UserHoldings): void {
  if (isAdministrator(before)) return
  const known = new Map(before.roles.map((role) => [role.id, role]))
  for (const { id, name, attributes } of after.roles) {
    const was = known.get(id)
    if (!was) return refuseOwnRole()
    if (was.name !== name)
      refuse('own_access', 'Applications call you by the name of this role. Somebody else has to change it.')
    if (changesAttributes(was.attributes, attributes)) refuseOwnAttributes()
  }
  if (changesAttributes(before.ownAttributes, after.ownAttributes)) refuseOwnAttributes()
  // A role that is gone takes its attributes along, or leaves those of another role in their place.
  if (!isDeepStrictEqual(sorted(before), sorted(after))) refuseOwnAttributes()
  if (before.username !== after.username)
    refuse('own_access', 'Applications know you by your username. Somebody else has to change it.')
  if (before.mustConfirm && !after.mustConfirm)
    refuse('own_access', 'This would let you in without a confirmed address. Confirm yours first.')
  const more = listMore(before, after, 'access')
  if (more.length > 0) refuse('own_access', `This would give you what you don't hold: ${more.toSorted().join(', ')}.`)
}

export const refuseOwnRole = (): never =>
  refuse('own_access', "You can't give yourself a role. Ask somebody else who may assign roles.")

const refuseOwnAttributes = (): never =>
  refuse('own_access', 'These attributes are your own. Somebody else has to change them.')

const sorted = ({ attributes }: UserHoldings) => [...attributes].toSorted(([a], [b]) => (a < b ? -1 : 1))
