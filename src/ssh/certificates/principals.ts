import { readPrincipals } from '../../access/role.ts'
import { isPrincipal } from '../../openssh/certificate.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import { readStatement, type Values } from '../../storage/statement.ts'

const rolePrincipals = (db: Reader, value: Values<{ userId: string }>) =>
  db
    .selectFrom('user_roles')
    .innerJoin('roles', 'roles.id', 'user_roles.role_id')
    .select('roles.principals')
    .where('user_roles.user_id', '=', value('userId'))
    .where('roles.principals', '!=', '[]')

const found = readStatement(rolePrincipals)
const held = readStatement((db, value: Values<{ userId: string }>) => rolePrincipals(db, value).forKeyShare())

export interface Person {
  id: string
  preferredUsername: string
}

/** The UNIX accounts and groups that the user may log in as: the own username first, then what roles add, in order. */
export const listPrincipals = async (db: Reader, { id, preferredUsername }: Person): Promise<string[]> =>
  toPrincipals(preferredUsername, await found(db, { userId: id }))

const username = readStatement((db, value: Values<{ userId: string }>) =>
  db.selectFrom('users').select('preferred_username as name').where('id', '=', value('userId')),
)

/**
 * The same for a user whose row the caller holds, and they stay so until the transaction ends: whoever takes a role away
 * or a principal out of one waits, and then finds the certificate that names it. Roles are held in the weakest way, so
 * that nobody waits here for anything else that happens to a role.
 */
export async function holdPrincipals(trx: Trx, userId: string): Promise<Person & { principals: string[] }> {
  const [user] = await username(trx, { userId })
  const preferredUsername = user?.name ?? ''
  return { id: userId, preferredUsername, principals: toPrincipals(preferredUsername, await held(trx, { userId })) }
}

export const toPrincipals = (preferredUsername: string, roles: { principals: string }[]): string[] => {
  const added = roles.flatMap(({ principals }) => readPrincipals(principals))
  return [...new Set([preferredUsername, ...added.toSorted()])].filter(isPrincipal)
}
