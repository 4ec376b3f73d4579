import { isDeepStrictEqual } from 'node:util'
import { Type } from 'typebox'
import { refuse, atField } from '../../errors.ts'
import { roleErrors } from './role-errors.ts'

/** What a claim may hold. */
export const AttributeValue = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Array(Type.String())])
export type AttributeValue = Type.Static<typeof AttributeValue>

export type Attributes = Record<string, AttributeValue>

const NAME = '^[A-Za-z][A-Za-z0-9_.-]{0,63}$'
const MAX_BYTES = 16 * 1024

export const AttributeName = Type.String({ pattern: NAME })

/** Values of a person or a role that applications can be told as claims. */
export const Attributes = Type.Unsafe<Attributes>({
  ...Type.Record(AttributeName, AttributeValue, { maxProperties: 64, additionalProperties: false }),
  description: 'Values for claims of applications. At most 64, and 16 KB of JSON.',
})

/** The form that is stored: null without any. */
export function packAttributes(attributes: Attributes): string | null {
  const packed = JSON.stringify(attributes)
  if (Buffer.byteLength(packed) > MAX_BYTES) refuse(atField('attributes', roleErrors.attributes_too_large()))
  if (packed.includes(String.raw`\u0000`)) refuse(atField('attributes', roleErrors.attribute_has_nul()))
  return packed === '{}' ? null : packed
}

export const unpackAttributes = (packed: string | null): Attributes =>
  packed === null ? {} : (JSON.parse(packed) as Attributes)

/** Whether two records differ in a name or a value; their order does not matter. */
export const changesAttributes = (before: Attributes, after: Attributes): boolean => !isDeepStrictEqual(before, after)

interface RoleWithAttributes {
  name: string
  attributes: Attributes
}

/** Roles give attributes in the order of their names. */
export const inOrderOfNames = <Role extends { name: string }>(roles: readonly Role[]): Role[] =>
  roles.toSorted((a, b) => (a.name < b.name ? -1 : 1))

/**
 * The value that applications are told about a person with these roles, in order of their names. A person's own value counts
 * before those of roles. Lists of several roles are joined; otherwise the first role counts.
 */
export function attributeOf(
  name: string,
  roles: readonly RoleWithAttributes[],
  own: Attributes,
): AttributeValue | undefined {
  if (Object.hasOwn(own, name)) return own[name]
  const values = roles.flatMap(({ attributes }) => (Object.hasOwn(attributes, name) ? [attributes[name] ?? ''] : []))
  const [first] = values
  return Array.isArray(first) ? [...new Set(values.filter((value) => Array.isArray(value)).flat())] : first
}

/** All attributes of such a person. */
export function attributesOf(roles: readonly RoleWithAttributes[], own: Attributes): Map<string, AttributeValue> {
  const ordered = inOrderOfNames(roles)
  const names = new Set([own, ...ordered.map(({ attributes }) => attributes)].flatMap((each) => Object.keys(each)))
  return new Map([...names].map((name) => [name, attributeOf(name, ordered, own) ?? '']))
}
