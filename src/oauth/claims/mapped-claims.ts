import type { AttributeValue, Attributes } from '../../access/attributes.ts'
import type { ClaimMapping, ClaimPlace } from './claim-mapping.ts'
import { groupNames, type HeldRole, type PersonColumns, readPerson } from './person-columns.ts'

/** The claims that the client of a row has mapped for this place. Undefined when it has mapped none. */
export function mappedClaims(row: PersonColumns, place: ClaimPlace): Record<string, AttributeValue> | undefined {
  if (row.mapping === '[]') return undefined
  const mappings = (JSON.parse(row.mapping) as ClaimMapping[]).filter((mapping) => mapping.in.includes(place))
  if (mappings.length === 0) return undefined
  const { roles, attributes } = readPerson(row)
  return Object.fromEntries(
    mappings.flatMap((mapping) => {
      const value = valueOf(mapping, roles, attributes)
      return value === undefined ? [] : [[mapping.name, value]]
    }),
  )
}

function valueOf(mapping: ClaimMapping, roles: HeldRole[], own: Attributes): AttributeValue | undefined {
  if ('value' in mapping) return mapping.value
  if ('whenRole' in mapping) {
    const { roleId, then, else: otherwise } = mapping.whenRole
    return roles.some(({ id }) => id === roleId) ? then : otherwise
  }
  return mapping.from === 'roles' ? groupNames(roles) : attributeOf(mapping.attribute, roles, own)
}

/** A person's own value counts before those of roles. Lists of several roles are joined; otherwise the first role counts. */
function attributeOf(name: string, roles: HeldRole[], own: Attributes): AttributeValue | undefined {
  if (Object.hasOwn(own, name)) return own[name]
  const values = roles.flatMap(({ attributes }) => (Object.hasOwn(attributes, name) ? [attributes[name] ?? ''] : []))
  const [first] = values
  return Array.isArray(first) ? [...new Set(values.filter((value) => Array.isArray(value)).flat())] : first
}
