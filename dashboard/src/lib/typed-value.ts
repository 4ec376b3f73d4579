/** What an attribute or a claim may hold. */
export type Value = string | number | boolean | string[]

export const VALUE_KINDS = ['string', 'number', 'boolean', 'list'] as const
export type ValueKind = (typeof VALUE_KINDS)[number]

/** A value as a form has it. A list has one item a line. */
export type TypedValue = { kind: ValueKind; text: string }

export const NO_VALUE: TypedValue = { kind: 'string', text: '' }

export function typed(value: Value): TypedValue {
  if (Array.isArray(value)) return { kind: 'list', text: value.join('\n') }
  if (typeof value === 'number') return { kind: 'number', text: String(value) }
  return typeof value === 'boolean' ? { kind: 'boolean', text: String(value) } : { kind: 'string', text: value }
}

/** Undefined when it is not a value of its kind yet. */
export function valueOf({ kind, text }: TypedValue): Value | undefined {
  if (kind === 'string') return text
  if (kind === 'boolean') return text === 'true'
  if (kind === 'list') return linesOf(text)
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

export type Attributes = Record<string, Value>

/** An attribute as a form has it. */
export type AttributeRow = { name: string; value: TypedValue }

export const attributeRows = (attributes: Attributes): AttributeRow[] =>
  Object.entries(attributes).map(([name, value]) => ({ name, value: typed(value) }))

export const attributesOf = (rows: readonly AttributeRow[]): Attributes =>
  Object.fromEntries(rows.map(({ name, value }) => [name.trim(), valueOf(value) ?? '']))

export const ATTRIBUTE_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/

/** What is wrong with the field `attributes` of a form. */
export function attributeErrors(
  rows: readonly AttributeRow[],
  texts: { badName: string; twice: string; noNumber: string },
): Record<string, string> {
  const errors: Record<string, string> = {}
  const names = rows.map(({ name }) => name.trim())
  for (const [at, name] of names.entries()) {
    if (!ATTRIBUTE_NAME.test(name)) errors[`attributes.${at}.name`] = texts.badName
    else if (names.indexOf(name) < at) errors[`attributes.${at}.name`] = texts.twice
  }
  for (const [at, { value }] of rows.entries())
    if (valueOf(value) === undefined) errors[`attributes.${at}.value.text`] = texts.noNumber
  return errors
}
