/** What an attribute or a claim may hold. */
export type Value = string | number | boolean | string[]

export const VALUE_KINDS = ['string', 'number', 'boolean', 'list'] as const
export type ValueKind = (typeof VALUE_KINDS)[number]

/** A value while it is typed. A list has one item a line. */
export type ValueDraft = { kind: ValueKind; text: string }

export const NO_VALUE: ValueDraft = { kind: 'string', text: '' }

export function draftOf(value: Value): ValueDraft {
  if (Array.isArray(value)) return { kind: 'list', text: value.join('\n') }
  if (typeof value === 'number') return { kind: 'number', text: String(value) }
  return typeof value === 'boolean' ? { kind: 'boolean', text: String(value) } : { kind: 'string', text: value }
}

/** Undefined when it is not a value of its kind yet. */
export function valueOf({ kind, text }: ValueDraft): Value | undefined {
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
