import { sql } from 'kysely'
import { type Attributes, inOrderOfNames, unpackAttributes } from '../../identity/access/attributes.ts'
import { USER_ROLE } from '../../identity/access/built-in-roles.ts'

// Control characters can't be part of a role's name, and JSON escapes them.
const BETWEEN_FIELDS = '\u001f'
const BETWEEN_ROLES = '\u001e'

/**
 * What a query over `oauth_clients` and `users` selects for claims of roles and attributes. Both are read only for clients that
 * are told something of them, so that they cost the others nothing.
 */
export const PERSON_COLUMNS = [
  sql<string>`oauth_clients.claims`.as('mapping'),
  sql<string | null>`case when oauth_clients.reads_roles = 1 then (
    select string_agg(roles.id || ${sql.lit(BETWEEN_FIELDS)} || roles.name || ${sql.lit(BETWEEN_FIELDS)}
      || coalesce(roles.attributes, ''), ${sql.lit(BETWEEN_ROLES)})
    from user_roles join roles on roles.id = user_roles.role_id
    where user_roles.user_id = users.id) end`.as('heldRoles'),
  sql<string | null>`case when oauth_clients.reads_roles = 1 then users.attributes end`.as('attributes'),
] as const

export interface PersonColumns {
  mapping: string
  heldRoles: string | null
  attributes: string | null
}

export interface HeldRole {
  id: string
  name: string
  attributes: Attributes
}

/** The person's roles, in order of their names, and own attributes. */
export const readPerson = (row: PersonColumns): { roles: HeldRole[]; attributes: Attributes } => ({
  roles: unpackHeldRoles(row.heldRoles),
  attributes: unpackAttributes(row.attributes),
})

function unpackHeldRoles(packed: string | null): HeldRole[] {
  if (packed === null) return []
  const roles = packed.split(BETWEEN_ROLES).map((each) => {
    const [id = '', name = '', attributes = ''] = each.split(BETWEEN_FIELDS)
    return { id, name, attributes: unpackAttributes(attributes === '' ? null : attributes) }
  })
  return inOrderOfNames(roles)
}

/** What applications call groups: the names of roles, without the one that everybody has. */
export const groupNames = (roles: readonly HeldRole[]): string[] =>
  roles.flatMap(({ id, name }) => (id === USER_ROLE ? [] : [name]))

/** Of a row of which only the groups are needed. */
export const groupsOf = ({ heldRoles }: Pick<PersonColumns, 'heldRoles'>): string[] =>
  groupNames(unpackHeldRoles(heldRoles))
