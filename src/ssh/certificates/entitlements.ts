import type { Reader } from '../../storage/database.ts'
import type { Permission } from '../../vocabulary/permissions.ts'
import type { ValidCertificate } from '../revocation/revoked-certificate-store.ts'
import { toPrincipals } from './principals.ts'

const TO_ISSUE: Permission = 'ssh:cert:issue'

/** Whether certificates depend on what a role gives. */
export const certificatesDependOn = ({
  principals,
  permissions,
}: {
  principals: string[]
  permissions: string[]
}): boolean => principals.length > 0 || permissions.includes(TO_ISSUE)

/** What the certificates of somebody may name at the moment: nothing without the permission to get any. */
export type Entitlements = ReadonlyMap<string, ReadonlySet<string>>

/** Those of these users, by their ids. Who is gone is not among them. */
export async function listEntitlements(db: Reader, userIds: string[]): Promise<Entitlements> {
  const rows = await db
    .selectFrom('users')
    .innerJoin('user_roles', 'user_roles.user_id', 'users.id')
    .innerJoin('roles', 'roles.id', 'user_roles.role_id')
    .leftJoin('role_permissions', (join) =>
      join.onRef('role_permissions.role_id', '=', 'roles.id').on('role_permissions.permission', '=', TO_ISSUE),
    )
    .select(['users.id', 'users.preferred_username', 'roles.principals', 'role_permissions.permission'])
    .where('users.id', 'in', userIds)
    .execute()
  return new Map(
    [...Map.groupBy(rows, ({ id }) => id)].map(([id, roles]) => {
      const mayIssue = roles.some(({ permission }) => permission !== null)
      return [id, new Set(mayIssue ? toPrincipals(roles[0]?.preferred_username ?? '', roles) : [])]
    }),
  )
}

/** Whether a certificate names nothing but what its owner still has. */
export const isEntitled = (entitlements: Entitlements, { userId, principals }: ValidCertificate): boolean => {
  const held = entitlements.get(userId)
  return held !== undefined && principals.every((name) => held.has(name))
}
