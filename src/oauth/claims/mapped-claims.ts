import { sql } from 'kysely'
import {
  type AttributeValue,
  type Attributes,
  attributeOf,
  inOrderOfNames,
  unpackAttributes,
} from '../../identity/roles/attributes.ts'
import { USER_ROLE } from '../../vocabulary/built-in-roles.ts'
import { type ClaimMapping, type ClaimPlace, isEffective } from './claim-mapping.ts'

/** Undefined where the person has no value: then there is no claim of this name, also none of a scope. */
type Claims = Readonly<Record<string, AttributeValue | undefined>>

/** The claims that the client of a row has mapped for this place. Undefined when it has mapped none at all. */
export function mappedClaims(row: PersonColumns, place: ClaimPlace): Claims | undefined {
  if (row.mapping === '[]') return undefined
  const key = `${place}\0${row.mapping}\0${row.heldRoles}\0${row.attributes}`
  const found = remembered.get(key)
  if (found !== undefined) return found
  const claims = makeClaims(row, place)
  if (key.length > MAX_KEY_LENGTH) return claims
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  remembered.set(key, claims)
  return claims
}

/**
 * The claims follow from three texts of the row alone, and many people have the same roles. Looking a result up takes a tenth of
 * the time that parsing the texts does.
 */
const remembered = new Map<string, Claims>()
const MAX_REMEMBERED = 1000
const MAX_KEY_LENGTH = 4000

function makeClaims(row: PersonColumns, place: ClaimPlace): Claims {
  const mappings = (JSON.parse(row.mapping) as ClaimMapping[]).filter(
    (mapping) => mapping.in.includes(place) && isEffective(mapping),
  )
  const { roles, attributes } = readPerson(row)
  return Object.fromEntries(mappings.map((mapping) => [mapping.name, valueOf(mapping, roles, attributes)]))
}

function valueOf(mapping: ClaimMapping, roles: HeldRole[], own: Attributes): AttributeValue | undefined {
  if ('value' in mapping) return mapping.value
  if ('whenRole' in mapping) {
    const { roleId, then, else: otherwise } = mapping.whenRole
    return roles.some(({ id }) => id === roleId) ? then : otherwise
  }
  return mapping.from === 'roles' ? groupNames(roles) : attributeOf(mapping.attribute, roles, own)
}

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
const readPerson = (row: PersonColumns): { roles: HeldRole[]; attributes: Attributes } => ({
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
const groupNames = (roles: readonly HeldRole[]): string[] =>
  roles.flatMap(({ id, name }) => (id === USER_ROLE ? [] : [name]))

/** Of a row of which only the groups are needed. */
export const groupsOf = ({ heldRoles }: Pick<PersonColumns, 'heldRoles'>): string[] =>
  groupNames(unpackHeldRoles(heldRoles))
