import type { ClaimMapping } from '../../api/shapes.ts'
import { NO_VALUE, typed, type TypedValue, valueOf } from '../../lib/typed-value.ts'

export const CLAIM_SOURCES = ['value', 'roles', 'attribute', 'whenRole'] as const
export type ClaimSource = (typeof CLAIM_SOURCES)[number]
export const CLAIM_PLACES = ['id_token', 'userinfo', 'introspection'] as const
export type ClaimPlace = (typeof CLAIM_PLACES)[number]

/** A mapped claim as a form has it: what was entered for one source stays when another is chosen. */
export type ClaimRow = {
  name: string
  in: ClaimPlace[]
  source: ClaimSource
  value: TypedValue
  attribute: string
  roleId: string
  whenHeld: TypedValue
  /** Undefined: without the role there is no claim. */
  otherwise: TypedValue | undefined
}

export const NEW_CLAIM: ClaimRow = {
  name: '',
  in: [],
  source: 'attribute',
  value: NO_VALUE,
  attribute: '',
  roleId: '',
  whenHeld: NO_VALUE,
  otherwise: undefined,
}

export function claimRow(mapping: ClaimMapping): ClaimRow {
  const row = { ...NEW_CLAIM, name: mapping.name, in: mapping.in }
  if ('value' in mapping) return { ...row, source: 'value', value: typed(mapping.value) }
  if ('whenRole' in mapping) {
    const { roleId, then: held, else: otherwise } = mapping.whenRole
    const without = otherwise === undefined ? undefined : typed(otherwise)
    return { ...row, source: 'whenRole', roleId, whenHeld: typed(held), otherwise: without }
  }
  return mapping.from === 'roles'
    ? { ...row, source: 'roles' }
    : { ...row, source: 'attribute', attribute: mapping.attribute }
}

/** What is sent of a claim in which nothing is wrong. */
export function mappingOf(row: ClaimRow): ClaimMapping {
  const common = { name: row.name.trim(), in: CLAIM_PLACES.filter((place) => row.in.includes(place)) }
  if (row.source === 'roles') return { ...common, from: 'roles' }
  if (row.source === 'attribute') return { ...common, from: 'attribute', attribute: row.attribute.trim() }
  if (row.source === 'value') return { ...common, value: valueOf(row.value) ?? '' }
  const otherwise = row.otherwise && valueOf(row.otherwise)
  const held = valueOf(row.whenHeld) ?? ''
  // oxlint-disable-next-line unicorn/no-thenable -- The API has this name; its value is never a function.
  const whenRole = { roleId: row.roleId, then: held, ...(otherwise === undefined ? {} : { else: otherwise }) }
  return { ...common, whenRole }
}

const NAME = /^[A-Za-z0-9_.:/-]{1,128}$/
const ATTRIBUTE = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/

type Said = Record<'name' | 'places' | 'attribute' | 'role' | 'value', string>

/** What is wrong with the field `claims` of a form. */
export function claimErrors(rows: readonly ClaimRow[], texts: Said): Record<string, string> {
  const wrong = rows.flatMap((row, at) =>
    Object.entries(errorsOf(row, texts)).map(([field, text]) => [`claims.${at}.${field}`, text]),
  )
  return Object.fromEntries(wrong)
}

function errorsOf(row: ClaimRow, texts: Said): Record<string, string> {
  const errors: Record<string, string> = {}
  if (!NAME.test(row.name.trim())) errors['name'] = texts.name
  if (row.in.length === 0) errors['in'] = texts.places
  if (row.source === 'attribute' && !ATTRIBUTE.test(row.attribute.trim())) errors['attribute'] = texts.attribute
  if (row.source === 'whenRole' && row.roleId === '') errors['roleId'] = texts.role
  const shown = { value: ['value'], whenRole: ['whenHeld', 'otherwise'], roles: [], attribute: [] } as const
  for (const field of shown[row.source]) {
    const value = row[field]
    if (value !== undefined && valueOf(value) === undefined) errors[`${field}.text`] = texts.value
  }
  return errors
}
