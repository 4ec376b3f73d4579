import { refuse } from '../../errors.ts'
import { readTextList } from '../../storage/columns.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import { accountExists } from './account-standing.ts'
import { TakenUsername } from './taken-username.ts'

/** Roles that open UNIX accounts. */
export async function listRolesWithPrincipals(db: Reader): Promise<{ name: string; principals: string[] }[]> {
  const rows = await db.selectFrom('roles').select(['name', 'principals']).where('principals', '!=', '[]').execute()
  return rows.map(({ name, principals }) => ({ name, principals: readTextList(principals) }))
}

/** A role gives a principal of this name, so that the holders of the role could log in as the user. */
export class PrincipalOfRole extends TakenUsername {
  constructor(username: string, role: string) {
    super(`The username ${username} is a principal of the role ${role}.`)
  }
}

export async function refusePrincipalOfRole(db: Reader, username: string): Promise<void> {
  const role = (await listRolesWithPrincipals(db)).find(({ principals }) => principals.includes(username))
  if (role) throw new PrincipalOfRole(username, role.name)
}

/**
 * The same in the transaction that gives a user this name, and until it ends no role gets the name as a principal. Other
 * users may get names meanwhile.
 */
export async function takeNameFromRoles(trx: Trx, username: string): Promise<void> {
  await names(trx).forKeyShare().execute()
  await refusePrincipalOfRole(trx, username)
}

/** For a role that gets these principals: none may be a username. Until the transaction ends no user gets a new name. */
export async function refuseUsernames(trx: Trx, principals: string[]): Promise<void> {
  if (principals.length === 0) return
  await names(trx).forUpdate().execute()
  const user = await trx
    .selectFrom('users')
    .select(['preferred_username', 'email'])
    .where('preferred_username', 'in', principals)
    .where(accountExists)
    .limit(1)
    .executeTakeFirst()
  if (user) refuse('conflict', `The principal ${user.preferred_username} is the username of ${user.email}.`)
}

const names = (trx: Trx) => trx.selectFrom('counters').select('name').where('name', '=', 'principal_names')
