import { groupPrincipals, mayName, type PrincipalGroup } from '../../identity/access/principal-groups.ts'
import type { Reader } from '../../storage/database.ts'
import type { ValidCertificate } from '../revocation/revoked-certificate-store.ts'
import { ISSUE_PERMISSION, listRoleHolders } from './principal-store.ts'

/** Whether certificates depend on what a role gives. */
export const certificatesDependOn = ({
  principals,
  permissions,
}: {
  principals: string[]
  permissions: string[]
}): boolean => principals.length > 0 || permissions.includes(ISSUE_PERMISSION)

/** For each user, what a certificate may name now: nothing without the permission to get certificates. */
export type Entitlements = ReadonlyMap<string, PrincipalGroup[]>

/** Those of these users, by their ids. Users that do not exist are absent. */
export async function listEntitlements(db: Reader, userIds: string[]): Promise<Entitlements> {
  const holders = await listRoleHolders(db, userIds)
  return new Map(
    holders.map(({ id, preferredUsername, grants }) => [
      id,
      grants.some(({ mayIssue }) => mayIssue) ? groupPrincipals(preferredUsername, grants) : [],
    ]),
  )
}

/** Whether a certificate names nothing but what its owner still has, under rules that are still met. */
export const isEntitled = (entitlements: Entitlements, { userId, principals, rules }: ValidCertificate): boolean => {
  const groups = entitlements.get(userId) ?? []
  return principals.every((name) => mayName(groups, name, rules))
}
