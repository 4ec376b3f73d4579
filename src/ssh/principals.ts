import { readPrincipals } from '../access/role.ts'
import { isPrincipal } from '../openssh/certificate.ts'
import type { Db } from '../storage/schema.ts'
import { statementForMany } from '../storage/statement-for-many.ts'

const rolePrincipals = statementForMany((db, userIds) =>
  db
    .selectFrom('user_roles')
    .innerJoin('roles', 'roles.id', 'user_roles.role_id')
    .select(['user_roles.user_id', 'roles.principals'])
    .where('user_roles.user_id', 'in', userIds)
    .where('roles.principals', '!=', '[]'),
)

interface Person {
  id: string
  preferredUsername: string
}

/**
 * The UNIX accounts and groups that the user may log in as: the own username first, then what roles add, in order.
 * Usernames of people who may get certificates are changed by administrators alone, and so are roles: nothing in this
 * list comes from the person it is about.
 */
export async function listPrincipals(db: Db, person: Person): Promise<string[]> {
  return (await listPrincipalsOf(db, [person])).get(person.id) ?? []
}

/** The same for several at once, by their ids. */
export async function listPrincipalsOf(db: Db, people: Person[]): Promise<Map<string, string[]>> {
  const ids = people.map(({ id }) => id)
  const rows = Map.groupBy(await rolePrincipals(db, ids, {}), (row) => row.user_id)
  return new Map(
    people.map(({ id, preferredUsername }) => {
      const added = (rows.get(id) ?? []).flatMap(({ principals }) => readPrincipals(principals))
      return [id, [...new Set([preferredUsername, ...added.toSorted()])].filter(isPrincipal)]
    }),
  )
}
