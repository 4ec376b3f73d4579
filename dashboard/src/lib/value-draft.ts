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

export type Attributes = Record<string, Value>

/** An attribute while it is edited. */
export type AttributeDraft = { name: string; value: ValueDraft }

export const NEW_ATTRIBUTE: AttributeDraft = { name: '', value: NO_VALUE }

export const attributeDrafts = (attributes: Attributes): AttributeDraft[] =>
  Object.entries(attributes).map(([name, value]) => ({ name, value: draftOf(value) }))

export type AttributeProblem = 'name' | 'twice' | 'value'

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/

/** The attributes to save, or what is still wrong with each of them. */
export function attributesOf(
  drafts: readonly AttributeDraft[],
): { attributes: Attributes } | { problems: (AttributeProblem | undefined)[] } {
  const entries: [string, Value][] = []
  const problems = drafts.map(({ name, value }): AttributeProblem | undefined => {
    const read = valueOf(value)
    const trimmed = name.trim()
    if (!NAME.test(trimmed)) return 'name'
    if (entries.some(([other]) => other === trimmed)) return 'twice'
    if (read === undefined) return 'value'
    entries.push([trimmed, read])
    return undefined
  })
  return problems.some((problem) => problem !== undefined) ? { problems } : { attributes: Object.fromEntries(entries) }
}
