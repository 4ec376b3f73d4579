import { draftOf, NO_VALUE, type Value, valueOf, type ValueDraft } from './value-draft.ts'

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
