import type { Reader } from '../../storage/database.ts'
import type { Permission } from '../../vocabulary/permissions.ts'
import type { ValidCertificate } from '../revocation/revoked-certificate-store.ts'
import { listRoleHolders } from './principal-store.ts'
import { toPrincipals } from './principals.ts'

const ISSUE_PERMISSION: Permission = 'ssh:cert:issue'

/** Whether certificates depend on what a role gives. */
export const certificatesDependOn = ({
  principals,
  permissions,
}: {
  principals: string[]
  permissions: string[]
}): boolean => principals.length > 0 || permissions.includes(ISSUE_PERMISSION)

/** For each user, the principals that a certificate may name now: none without the permission to get certificates. */
export type Entitlements = ReadonlyMap<string, ReadonlySet<string>>

/** Those of these users, by their ids. Users that do not exist are absent. */
export async function listEntitlements(db: Reader, userIds: string[]): Promise<Entitlements> {
  const holders = await listRoleHolders(db, userIds, ISSUE_PERMISSION)
  return new Map(
    holders.map(({ id, preferredUsername, principals, isPermitted }) => [
      id,
      new Set(isPermitted ? toPrincipals(preferredUsername, principals) : []),
    ]),
  )
}

/** Whether a certificate names nothing but what its owner still has. */
export const isEntitled = (entitlements: Entitlements, { userId, principals }: ValidCertificate): boolean => {
  const held = entitlements.get(userId)
  return held !== undefined && principals.every((name) => held.has(name))
}
