import { isPrincipal } from '../openssh/certificate.ts'
import type { Db } from '../storage/schema.ts'
import { statement, type Values } from '../storage/statement.ts'

const rolePrincipals = statement((db, value: Values<{ userId: string }>) =>
  db
    .selectFrom('user_roles')
    .innerJoin('roles', 'roles.id', 'user_roles.role_id')
    .select('roles.principals')
    .where('user_roles.user_id', '=', value('userId'))
    .where('roles.principals', '!=', '[]'),
)

/**
 * The UNIX accounts and groups that the user may log in as: the own username first, then what roles add, in order.
 * Usernames of people who may get certificates are changed by administrators alone, and so are roles: nothing in this
 * list comes from the person it is about.
 */
export async function listPrincipals(db: Db, user: { id: string; preferredUsername: string }): Promise<string[]> {
  const rows = await rolePrincipals(db, { userId: user.id })
  const added = rows.flatMap((row) => JSON.parse(row.principals) as string[])
  return [...new Set([user.preferredUsername, ...added.toSorted()])].filter(isPrincipal)
}
