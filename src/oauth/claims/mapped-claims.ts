import type { AttributeValue, Attributes } from '../../access/attributes.ts'
import { CLAIM_PLACES, type ClaimMapping, type ClaimPlace } from './claim-mapping.ts'
import { groupNames, type HeldRole, type PersonColumns, readPerson } from './person-columns.ts'

/** The claims that the client of a row has mapped for this place. Undefined when it has mapped none. */
export function mappedClaims(row: PersonColumns, place: ClaimPlace): Record<string, AttributeValue> | undefined {
  if (row.mapping === '[]') return undefined
  const mappings = readMappings(row.mapping)[place]
  if (mappings.length === 0) return undefined
  const { roles, attributes } = readPerson(row)
  // Without a prototype a claim may have any name.
  const claims = Object.create(null) as Record<string, AttributeValue>
  for (const mapping of mappings) {
    const value = valueOf(mapping, roles, attributes)
    if (value !== undefined) claims[mapping.name] = value
  }
  return claims
}

type ByPlace = Record<ClaimPlace, ClaimMapping[]>

const MAX_KNOWN = 1000
const known = new Map<string, ByPlace>()

/** Parsed once for each text: that takes longer than everything else here. */
function readMappings(text: string): ByPlace {
  const found = known.get(text)
  if (found) return found
  const mappings = JSON.parse(text) as ClaimMapping[]
  const byPlace = Object.fromEntries(
    CLAIM_PLACES.map((place) => [place, mappings.filter((mapping) => mapping.in.includes(place))]),
  ) as ByPlace
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(text, byPlace)
  return byPlace
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
