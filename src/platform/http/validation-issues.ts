import { AppError, type Issue } from '../../errors.ts'
import { fillSentence, type NamesIn, type Values } from '../../vocabulary/fill-sentence.ts'

/** What can be wrong with a field. Each goes on a sentence that begins with the name of the field. */
export const ISSUES = {
  required: 'is required',
  unknown_field: 'is not a known field',
  wrong_type: 'must be of the type {type}',
  value_not_allowed: 'must be one of: {allowed}',
  empty: 'must not be empty',
  too_long: 'must have at most {max} characters',
  too_short: 'must have at least {min} characters',
  too_many_items: 'must have at most {max} items',
  too_few_items: 'must have at least {min} items',
  duplicate_items: 'must not have the same item twice',
  too_large: 'must be at most {max}',
  too_small: 'must be at least {min}',
  not_finite: 'is too large a number',
  wrong_pattern: 'must match the pattern {pattern}',
  wrong_format: 'must have the format {format}',
  nul_character: 'holds a NUL character',
  half_surrogate_pair: 'holds half of a surrogate pair',
  control_character: 'holds a line break or another control character',
  invisible_character: 'holds an invisible character',
  leading_mark: 'begins with a mark that belongs to another character',
  not_valid: 'is not valid',
} as const

export type IssueReason = keyof typeof ISSUES
/** Those without a value. A keyword of our own schemas gives one of these. */
export type PlainIssueReason = {
  [Reason in IssueReason]: NamesIn<(typeof ISSUES)[Reason]> extends never ? Reason : never
}[IssueReason]

/** What a validator reports about one value. */
export interface Found {
  keyword: string
  instancePath: string
  params: Record<string, unknown>
}

const MAX_ISSUES = 20
const MAX_PATH = 200
/** A list of allowed values, or a pattern. Both come from our schemas. */
const MAX_VALUE = 500

/** The error of a request that does not match the contract. `part` is that of the request, such as its body. */
export function validationError(found: readonly Found[], part: string): AppError {
  const issues = found.slice(0, MAX_ISSUES).map((each) => issueAt(pathOf(each), ...reasonOf(each)))
  const [first = issueAt('', 'not_valid')] = issues
  return new AppError('invalid_input', `${first.path ? `"${first.path}"` : `The ${part}`} ${first.message}.`, {
    reason: first.reason,
    ...(first.values ? { values: first.values } : {}),
    issues,
  })
}

/** The same for a field with which something is wrong that no schema says. */
export const fieldError = (path: string, reason: PlainIssueReason): AppError =>
  validationError([{ keyword: '', instancePath: `/${path}`, params: { reason } }], 'body')

function issueAt(path: string, reason: IssueReason, values?: Values): Issue & { reason: IssueReason } {
  const message = fillSentence(ISSUES[reason], values ?? {}, String)
  return { path, message, reason, ...(values ? { values } : {}) }
}

function pathOf({ instancePath, params }: Found): string {
  const inner = params['missingProperty'] ?? params['additionalProperty']
  return [...instancePath.split('/').slice(1), ...(typeof inner === 'string' ? [inner] : [])]
    .join('/')
    .slice(0, MAX_PATH)
}

function reasonOf({ keyword, params }: Found): [IssueReason, Values?] {
  const limit = Number(params['limit'])
  switch (keyword) {
    case 'required':
      return ['required']
    case 'additionalProperties':
      return ['unknown_field']
    case 'type':
      return ['wrong_type', { type: listed(params['type'], ' or ') }]
    case 'enum':
    case 'const':
      return ['value_not_allowed', { allowed: listed(params['allowedValues'] ?? params['allowedValue'], ', ') }]
    case 'minLength':
      return limit === 1 ? ['empty'] : ['too_short', { min: limit }]
    case 'maxLength':
      return ['too_long', { max: limit }]
    case 'minItems':
    case 'minProperties':
      return limit === 1 ? ['empty'] : ['too_few_items', { min: limit }]
    case 'maxItems':
    case 'maxProperties':
      return ['too_many_items', { max: limit }]
    case 'uniqueItems':
      return ['duplicate_items']
    case 'minimum':
      return ['too_small', { min: limit }]
    case 'maximum':
      return ['too_large', { max: limit }]
    case 'pattern':
      return ['wrong_pattern', { pattern: listed(params['pattern'], '') }]
    case 'format':
      return ['wrong_format', { format: listed(params['format'], '') }]
    default:
      return [isPlain(params['reason']) ? params['reason'] : 'not_valid']
  }
}

const listed = (value: unknown, separator: string): string =>
  [value].flat().map(String).join(separator).slice(0, MAX_VALUE)

const isPlain = (reason: unknown): reason is PlainIssueReason => typeof reason === 'string' && reason in ISSUES
