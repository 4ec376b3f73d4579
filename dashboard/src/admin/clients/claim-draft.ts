import type { ClaimMapping } from '../../api/shapes.ts'
import { draftOf, NO_VALUE, valueOf, type ValueDraft } from '../../lib/value-draft.ts'

export const CLAIM_SOURCES = ['value', 'roles', 'attribute', 'whenRole'] as const
export type ClaimSource = (typeof CLAIM_SOURCES)[number]
export const CLAIM_PLACES = ['id_token', 'userinfo', 'introspection'] as const
export type ClaimPlace = (typeof CLAIM_PLACES)[number]

/** A mapped claim while it is edited: what was entered for one source stays when another is chosen. */
export type ClaimDraft = {
  name: string
  places: ClaimPlace[]
  source: ClaimSource
  value: ValueDraft
  attribute: string
  roleId: string
  whenHeld: ValueDraft
  /** Undefined: without the role there is no claim. */
  otherwise: ValueDraft | undefined
}

export const NEW_CLAIM: ClaimDraft = {
  name: '',
  places: [],
  source: 'attribute',
  value: NO_VALUE,
  attribute: '',
  roleId: '',
  whenHeld: NO_VALUE,
  otherwise: undefined,
}

export function claimDraft(mapping: ClaimMapping): ClaimDraft {
  const draft = { ...NEW_CLAIM, name: mapping.name, places: mapping.in }
  if ('value' in mapping) return { ...draft, source: 'value', value: draftOf(mapping.value) }
  if ('whenRole' in mapping) {
    const { roleId, then: held, else: otherwise } = mapping.whenRole
    const without = otherwise === undefined ? undefined : draftOf(otherwise)
    return { ...draft, source: 'whenRole', roleId, whenHeld: draftOf(held), otherwise: without }
  }
  return mapping.from === 'roles'
    ? { ...draft, source: 'roles' }
    : { ...draft, source: 'attribute', attribute: mapping.attribute }
}

export type ClaimProblem = 'name' | 'places' | 'attribute' | 'role' | 'value'

/** What is still wrong with each claim, or the mappings to save. */
export function mappingsOf(
  drafts: readonly ClaimDraft[],
): { mappings: ClaimMapping[] } | { problems: (ClaimProblem | undefined)[] } {
  const read = drafts.map(readDraft)
  const problems = read.map((each) => (typeof each === 'string' ? each : undefined))
  if (problems.some((each) => each !== undefined)) return { problems }
  return { mappings: read.filter((each) => typeof each !== 'string') }
}

const NAME = /^[A-Za-z0-9_.:/-]{1,128}$/
const ATTRIBUTE = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/

function readDraft(draft: ClaimDraft): ClaimMapping | ClaimProblem {
  const common = { name: draft.name.trim(), in: CLAIM_PLACES.filter((place) => draft.places.includes(place)) }
  if (!NAME.test(common.name)) return 'name'
  if (common.in.length === 0) return 'places'
  if (draft.source === 'roles') return { ...common, from: 'roles' }
  if (draft.source === 'attribute') {
    const attribute = draft.attribute.trim()
    return ATTRIBUTE.test(attribute) ? { ...common, from: 'attribute', attribute } : 'attribute'
  }
  if (draft.source === 'value') {
    const value = valueOf(draft.value)
    return value === undefined ? 'value' : { ...common, value }
  }
  const held = valueOf(draft.whenHeld)
  const otherwise = draft.otherwise && valueOf(draft.otherwise)
  if (draft.roleId === '') return 'role'
  if (held === undefined || (draft.otherwise && otherwise === undefined)) return 'value'
  // oxlint-disable-next-line unicorn/no-thenable -- The API has this name; its value is never a function.
  const whenRole = { roleId: draft.roleId, then: held, ...(otherwise === undefined ? {} : { else: otherwise }) }
  return { ...common, whenRole }
}
