import { attributeOf, type AttributeValue, type Attributes } from '../../identity/access/attributes.ts'
import type { ClaimMapping, ClaimPlace } from './claim-mapping.ts'
import { groupNames, type HeldRole, type PersonColumns, readPerson } from './person-columns.ts'

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
  const mappings = (JSON.parse(row.mapping) as ClaimMapping[]).filter((mapping) => mapping.in.includes(place))
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
