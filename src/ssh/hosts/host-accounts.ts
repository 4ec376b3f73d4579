import { readGifts, readSshRules, type SshRules } from '../../identity/roles/ssh-rules.ts'
import type { Sudo } from '../../identity/roles/sudo.ts'
import { accountExists, accountMayAct } from '../../identity/users/account-state.ts'
import { readTextList } from '../../storage/columns.ts'
import type { Reader } from '../../storage/database.ts'
import { ISSUE_PERMISSION } from '../certificates/principals.ts'

export interface RoleOfHosts {
  id: string
  principals: string[]
  ssh: SshRules | null
  sudo: Sudo
}

/** Somebody who may get certificates and whose account may act. */
export interface PersonOfHosts {
  id: string
  username: string
  roleIds: string[]
}

export interface Access {
  roles: RoleOfHosts[]
  people: PersonOfHosts[]
  /** Names that are both a username and a principal of a role. Their certificates can't be told apart. */
  clashes: ReadonlySet<string>
}

export type Accounts = Record<string, string[]>

/**
 * Which principals open which UNIX account of a host that admits these roles, or with null everybody. One's own account
 * is opened by one's username. An account that roles give is opened by the usernames of those who hold such a role.
 * Where the role has rules, only the account's own name does, because the certificate that carries it carries the rules too.
 * Then every role that gives this name must be admitted: the certificates of another one's holders carry it as well.
 */
export function listAccounts({ roles, people, clashes }: Access, allowed: readonly string[] | null): Accounts {
  const isAllowed = (id: string) => allowed === null || allowed.includes(id)
  const opened = new Map<string, Set<string>>()
  const open = (account: string, principal: string) => {
    if (clashes.has(account) || clashes.has(principal)) return
    const listed = opened.get(account) ?? new Set()
    opened.set(account, listed.add(principal))
  }
  const byId = new Map(roles.map((role) => [role.id, role]))
  for (const { username, roleIds } of people) {
    if (allowed === null || roleIds.some(isAllowed)) open(username, username)
    for (const id of roleIds) {
      const role = isAllowed(id) ? byId.get(id) : undefined
      if (role && role.ssh === null) for (const account of role.principals) open(account, username)
    }
  }
  const notAllowed = new Set(roles.filter(({ id }) => !isAllowed(id)).flatMap(({ principals }) => principals))
  for (const role of roles) {
    if (role.ssh === null || !isAllowed(role.id)) continue
    for (const account of role.principals) if (!notAllowed.has(account)) open(account, account)
  }
  return Object.fromEntries(
    [...opened].toSorted(byAccount).map(([account, listed]) => [account, [...listed].toSorted()]),
  )
}

const byAccount = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1)

/** The accounts of such a host that certificates with these principals open. */
export const openedAccounts = (
  access: Access,
  allowed: readonly string[] | null,
  principals: ReadonlySet<string>,
): string[] =>
  Object.entries(listAccounts(access, allowed)).flatMap(([account, listed]) =>
    listed.some((name) => principals.has(name)) ? [account] : [],
  )

/**
 * Who may get certificates, and what roles give them. With ids, only these people, who with `disabledToo` may have been disabled a
 * moment ago.
 */
export async function readAccess(
  db: Reader,
  userIds?: string | readonly string[],
  { disabledToo = false } = {},
): Promise<Access> {
  const rows = await db.selectFrom('roles').select(['id', 'principals', 'ssh', 'ssh_gifts']).execute()
  const roles = rows.map(({ id, principals, ssh, ssh_gifts: gifts }) => ({
    id,
    principals: readTextList(principals),
    ssh: readSshRules(ssh),
    sudo: readGifts(gifts).sudo,
  }))
  const holders = await db
    .selectFrom('users')
    .innerJoin('user_roles', 'user_roles.user_id', 'users.id')
    .select(['users.id', 'users.preferred_username as username', 'user_roles.role_id'])
    .$if(!disabledToo, (query) => query.where(accountMayAct))
    .where('users.id', 'in', (eb) =>
      eb
        .selectFrom('user_roles as permitted')
        .innerJoin('role_permissions', 'role_permissions.role_id', 'permitted.role_id')
        .select('permitted.user_id')
        .where('role_permissions.permission', '=', ISSUE_PERMISSION),
    )
    .$if(userIds !== undefined, (query) => query.where('users.id', 'in', [userIds ?? []].flat()))
    .execute()
  const people = [...Map.groupBy(holders, ({ id }) => id)].map(([id, held]) => ({
    id,
    username: held[0]?.username ?? '',
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
