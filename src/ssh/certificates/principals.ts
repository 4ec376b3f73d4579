import { groupPrincipals, type PrincipalGroup } from '../../identity/access/principal-groups.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import { findPreferredUsername, lockRoleGrants, listRoleGrants } from './principal-store.ts'

export interface Person {
  id: string
  preferredUsername: string
}

/** The UNIX accounts that the user may log in as, in groups that one certificate may name. */
export const listPrincipalGroups = async (db: Reader, { id, preferredUsername }: Person): Promise<PrincipalGroup[]> =>
  groupPrincipals(preferredUsername, await listRoleGrants(db, id))

/**
 * The same for a user whose row the caller has locked, and they stay so until the transaction ends: a transaction that takes a
 * role away, changes its rules, or takes a principal out of it, waits and then finds the certificate.
 */
export async function lockPrincipalGroups(trx: Trx, userId: string): Promise<Person & { groups: PrincipalGroup[] }> {
  const [preferredUsername = '', grants] = await Promise.all([
    findPreferredUsername(trx, userId),
    lockRoleGrants(trx, userId),
  ])
  const groups = groupPrincipals(preferredUsername, grants)
  return { id: userId, preferredUsername, groups }
}

/** The principals of all groups, each once: the username first, then the others, sorted. */
export function principalsOf(groups: PrincipalGroup[], username: string): string[] {
  const all = new Set(groups.flatMap(({ principals }) => principals))
  return [...(all.delete(username) ? [username] : []), ...[...all].toSorted()]
}
