import { readSshRules } from '../../identity/access/ssh-rules.ts'
import { accountExists, accountMayAct } from '../../identity/users/account-standing.ts'
import { readTextList } from '../../storage/columns.ts'
import type { Reader } from '../../storage/database.ts'
import { ISSUE_PERMISSION } from '../certificates/principal-store.ts'
import type { Access } from './host-accounts.ts'

/** Who may get certificates, and what roles give them. With an id, only that person. */
export async function readAccess(db: Reader, userId?: string): Promise<Access> {
  const rows = await db.selectFrom('roles').select(['id', 'principals', 'ssh']).execute()
  const roles = rows.map(({ id, principals, ssh }) => ({
    id,
    principals: readTextList(principals),
    ssh: readSshRules(ssh),
  }))
  const holders = await db
    .selectFrom('users')
    .innerJoin('user_roles', 'user_roles.user_id', 'users.id')
    .select(['users.preferred_username as username', 'user_roles.role_id'])
    .where(accountMayAct)
    .where('users.id', 'in', (eb) =>
      eb
        .selectFrom('user_roles as permitted')
        .innerJoin('role_permissions', 'role_permissions.role_id', 'permitted.role_id')
        .select('permitted.user_id')
        .where('role_permissions.permission', '=', ISSUE_PERMISSION),
    )
    .$if(userId !== undefined, (query) => query.where('users.id', '=', userId ?? ''))
    .execute()
  const people = [...Map.groupBy(holders, ({ username }) => username)].map(([username, held]) => ({
    username,
    roleIds: held.map(({ role_id }) => role_id),
  }))
  const principals = [...new Set(roles.flatMap((role) => role.principals))]
  return { roles, people, clashes: await listClashes(db, principals) }
}

const MAX_ASKED = 500

async function listClashes(db: Reader, principals: string[]): Promise<Set<string>> {
  const clashes = new Set<string>()
  for (let from = 0; from < principals.length; from += MAX_ASKED) {
    const rows = await db
      .selectFrom('users')
      .select('preferred_username as name')
      .where('preferred_username', 'in', principals.slice(from, from + MAX_ASKED))
      .where(accountExists)
      .execute()
    for (const { name } of rows) clashes.add(name)
  }
  return clashes
}
