import type { AppError } from '../../errors.ts'
import { unpackAttributes } from '../../identity/roles/attributes.ts'
import { groupPrincipals, mayName, type PrincipalGroup, type RoleGrant } from '../../identity/roles/principal-groups.ts'
import { isAtLeastAsLoose, readGifts, readSshRules } from '../../identity/roles/ssh-rules.ts'
import { MAX_PRINCIPALS } from '../../platform/openssh/certificate.ts'
import { readTextList } from '../../storage/columns.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import { readStatement, writeStatement, type Values } from '../../storage/statement.ts'
import type { Permission } from '../../vocabulary/permissions.ts'
import { sshErrors } from '../ssh-errors.ts'
import type { CertificateRules } from './certificate-store.ts'
import { type AttributeSource, givesValues } from './certified-extensions.ts'
import { type HostAdmission, losesSudo, type SudoByRole, sudoByRole } from './sudo-on-hosts.ts'

/** What the certificates of a person may name: principals, which are UNIX accounts, given by the username and by roles. */

export const ISSUE_PERMISSION: Permission = 'ssh:cert:issue'

export interface Person {
  id: string
  preferredUsername: string
}

/** The UNIX accounts that the user may log in as, in groups that one certificate may name. */
export const listPrincipalGroups = async (db: Reader, { id, preferredUsername }: Person): Promise<PrincipalGroup[]> =>
  groupPrincipals(preferredUsername, (await listRoleGrants(db, id)).grants)

/**
 * The same for a user whose row the caller has locked, and they stay so until the transaction ends: a transaction that takes a
 * role away, changes its rules, or takes a principal out of it, waits and then finds the certificate.
 */
export async function lockPrincipalGroups(
  trx: Trx,
  userId: string,
): Promise<Person & { groups: PrincipalGroup[]; sudo: SudoByRole }> {
  const [preferredUsername = '', { grants, sudo }] = await Promise.all([
    findPreferredUsername(trx, userId),
    lockRoleGrants(trx, userId),
  ])
  const groups = groupPrincipals(preferredUsername, grants)
  return { id: userId, preferredUsername, groups, sudo }
}

/** The principals of all groups, each once: the username first, then the others, sorted. */
export function principalsOf(groups: PrincipalGroup[], username: string): string[] {
  const all = new Set(groups.flatMap(({ principals }) => principals))
  return [...(all.delete(username) ? [username] : []), ...[...all].toSorted()]
}

interface Choice {
  username: string
  /** What the request names; undefined when it leaves the choice to us. */
  principals: string[] | undefined
  /** Whether the key is in a security key. */
  isSecurityKey: boolean
}

/** What a certificate may name, and its rules: the group that the request names, or else the one with the username. */
export function chooseGroup(groups: PrincipalGroup[], { username, principals, isSecurityKey }: Choice): PrincipalGroup {
  // A certificate without principals would open every account there is.
  if (groups.length === 0) throw sshErrors.no_unix_account()
  const wanted = principals ?? (groups.some((group) => group.principals.includes(username)) ? [username] : [])
  const found = groups.filter((group) => wanted.every((name) => group.principals.includes(name)))
  if (found.length === 0) throw mixtureError(groups, wanted)
  // sshd ignores the option verify-required of a key that is not in a security key.
  const usable = found.find(({ rules }) => isSecurityKey || !rules.verifyRequired)
  if (!usable) throw sshErrors.role_needs_security_key({ roles: found[0]?.roles.join(', ') ?? '' })
  const chosen = principals ? usable.principals.filter((name) => principals.includes(name)) : usable.principals
  if (chosen.length > MAX_PRINCIPALS) throw sshErrors.too_many_principals({ count: chosen.length, max: MAX_PRINCIPALS })
  return { ...usable, principals: chosen }
}

function mixtureError(groups: PrincipalGroup[], wanted: string[]): AppError {
  const givers = wanted.map((name) => ({
    name,
    roles: groups.filter(({ principals }) => principals.includes(name)).flatMap(({ roles }) => roles),
  }))
  const foreign = givers.filter(({ roles }) => roles.length === 0).map(({ name }) => name)
  if (foreign.length > 0) return sshErrors.principals_not_given({ names: foreign.join(', ') })
  const listed = givers.map(({ name, roles }) => `${name} (${roles.join(', ')})`)
  return sshErrors.principals_of_several_groups({ names: listed.join('; ') })
}

/** What a certificate of a user may name now: nothing without the permission to get certificates. */
interface Entitlement {
  groups: PrincipalGroup[]
  attributes: AttributeSource
  sudo: SudoByRole
}

/** By user. */
export type Entitlements = ReadonlyMap<string, Entitlement>

/** Those of these users, by their ids. Users that do not exist are absent. */
export async function listEntitlements(db: Reader, userIds: string[]): Promise<Entitlements> {
  const holders = await listRoleHolders(db, userIds)
  return new Map(
    holders.map(({ id, preferredUsername, grants, attributes, sudo }) => {
      const groups = grants.some(({ mayIssue }) => mayIssue) ? groupPrincipals(preferredUsername, grants) : []
      return [id, { groups, attributes, sudo }]
    }),
  )
}

interface RuledCertificate {
  userId: string
  principals: string[]
  rules: CertificateRules
}

/**
 * Whether a certificate names nothing but what its owner still has, under rules that are still met, and opened no sudo that they have lost on
 * one of these hosts.
 */
export function isEntitled(
  entitlements: Entitlements,
  { userId, principals, rules }: RuledCertificate,
  managedHosts: readonly HostAdmission[],
): boolean {
  const found = entitlements.get(userId)
  if (!found) return false
  const { groups, attributes, sudo } = found
  const { customValues, sudo: hadSudo } = rules
  const gives = (group: PrincipalGroup) =>
    principals.every((name) => group.principals.includes(name)) &&
    isAtLeastAsLoose(group.rules, rules) &&
    givesValues(group, attributes, customValues ?? {})
  return (
    principals.every((name) => mayName(groups, name, rules)) &&
    (!customValues || groups.some(gives)) &&
    (!hadSudo || !losesSudo(managedHosts, hadSudo, sudo))
  )
}

interface GrantRow {
  id: string
  name: string
  principals: string
  ssh: string | null
  ssh_gifts: string | null
}

const rolesOf = (db: Reader, value: Values<{ userId: string }>) =>
  db
    .selectFrom('user_roles')
    .innerJoin('roles', 'roles.id', 'user_roles.role_id')
    .select(['roles.id', 'roles.name', 'roles.principals', 'roles.ssh', 'roles.ssh_gifts'])
    .where('user_roles.user_id', '=', value('userId'))

const rolesWithPrincipals = (db: Reader, value: Values<{ userId: string }>) =>
  rolesOf(db, value).where((eb) => eb.or([eb('roles.principals', '!=', '[]'), eb('roles.ssh_gifts', 'is not', null)]))

const rolesWithPermission = (db: Reader, value: Values<{ userId: string; permission: Permission }>) =>
  rolesOf(db, value)
    .innerJoin('role_permissions', 'role_permissions.role_id', 'roles.id')
    .where('role_permissions.permission', '=', value('permission'))

const foundWithPrincipals = readStatement(rolesWithPrincipals)
const foundWithPermission = readStatement(rolesWithPermission)
const lockedWithPrincipals = writeStatement((db, value: Values<{ userId: string }>) =>
  rolesWithPrincipals(db, value).forKeyShare(),
)
const lockedWithPermission = writeStatement((db, value: Values<{ userId: string; permission: Permission }>) =>
  rolesWithPermission(db, value).forKeyShare(),
)

/** What the roles of a user give to certificates. */
const listRoleGrants = async (db: Reader, userId: string): Promise<Granted> =>
  toGrants(
    await foundWithPrincipals(db, { userId }),
    await foundWithPermission(db, { userId, permission: ISSUE_PERMISSION }),
  )

/**
 * The same, and they stay so until the transaction ends. Rows are locked in the weakest way, so that no other change of a
 * role has to wait.
 */
const lockRoleGrants = async (trx: Trx, userId: string): Promise<Granted> =>
  toGrants(
    ...(await Promise.all([
      lockedWithPrincipals(trx, { userId }),
      lockedWithPermission(trx, { userId, permission: ISSUE_PERMISSION }),
    ])),
  )

interface Granted {
  grants: RoleGrant[]
  sudo: SudoByRole
}

function toGrants(withPrincipals: GrantRow[], withPermission: GrantRow[]): Granted {
  const issuing = new Set(withPermission.map(({ id }) => id))
  const rows = new Map([...withPermission, ...withPrincipals].map((row) => [row.id, row]))
  return granted([...rows.values()], ({ id }) => issuing.has(id))
}

const granted = <Row extends GrantRow>(rows: readonly Row[], mayIssue: (row: Row) => boolean): Granted => ({
  grants: rows.map((row) => ({
    name: row.name,
    principals: readTextList(row.principals),
    ssh: readSshRules(row.ssh),
    mayIssue: mayIssue(row),
    gifts: readGifts(row.ssh_gifts),
  })),
  sudo: sudoByRole(rows.map(({ id, ssh_gifts: gifts }) => ({ id, sudo: readGifts(gifts).sudo }))),
})

const rolesWithAttributes = writeStatement((db, value: Values<{ userId: string }>) =>
  db
    .selectFrom('user_roles')
    .innerJoin('roles', 'roles.id', 'user_roles.role_id')
    .select(['roles.name', 'roles.attributes'])
    .where('user_roles.user_id', '=', value('userId'))
    .where('roles.attributes', 'is not', null)
    .forKeyShare(),
)
const ownAttributes = writeStatement((db, value: Values<{ userId: string }>) =>
  db.selectFrom('users').select('attributes').where('id', '=', value('userId')),
)

/** The attributes of a user whose row the caller has locked. Until the transaction ends, its roles give no others. */
export async function lockAttributes(trx: Trx, userId: string): Promise<AttributeSource> {
  const [roles, [own]] = await Promise.all([rolesWithAttributes(trx, { userId }), ownAttributes(trx, { userId })])
  return toAttributes(own?.attributes ?? null, roles)
}

const toAttributes = (
  own: string | null,
  roles: readonly { name: string; attributes: string | null }[],
): AttributeSource => ({
  own: unpackAttributes(own),
  roles: roles.map(({ name, attributes }) => ({ name, attributes: unpackAttributes(attributes) })),
})

const username = readStatement((db, value: Values<{ userId: string }>) =>
  db.selectFrom('users').select('preferred_username as name').where('id', '=', value('userId')),
)

const findPreferredUsername = async (db: Reader, userId: string): Promise<string | undefined> =>
  (await username(db, { userId }))[0]?.name

interface RoleHolder extends Granted {
  id: string
  preferredUsername: string
  attributes: AttributeSource
}

/** What the roles of these users give to certificates. Users that do not exist or have no role are absent. */
async function listRoleHolders(db: Reader, userIds: string[]): Promise<RoleHolder[]> {
  const rows = await db
    .selectFrom('users')
    .innerJoin('user_roles', 'user_roles.user_id', 'users.id')
    .innerJoin('roles', 'roles.id', 'user_roles.role_id')
    .leftJoin('role_permissions', (join) =>
      join.onRef('role_permissions.role_id', '=', 'roles.id').on('role_permissions.permission', '=', ISSUE_PERMISSION),
    )
    .select(['users.id as user_id', 'users.preferred_username', 'users.attributes as own'])
    .select(['roles.id', 'roles.name', 'roles.principals', 'roles.ssh', 'roles.ssh_gifts', 'roles.attributes'])
    .select('role_permissions.permission')
    .where('users.id', 'in', userIds)
    .execute()
  return [...Map.groupBy(rows, ({ user_id }) => user_id)].map(([id, roles]) => {
    const { grants, sudo } = granted(roles, (role) => role.permission !== null)
    const attributes = toAttributes(roles[0]?.own ?? null, roles)
    return { id, preferredUsername: roles[0]?.preferred_username ?? '', attributes, grants, sudo }
  })
}
