import type { Ajv, SchemaValidateFunction } from 'ajv'
import { Type } from 'typebox'
import type { PlainIssueReason } from './validation-issues.ts'

/**
 * The one rule for every name that people see: of a person, an application and who runs it, a role, a passkey, a key, a
 * device. People decide by these names whom they trust, so nothing in them is hidden, or changes how the text beside
 * them reads: no control characters, no line breaks, no marks that change the direction of writing, nothing invisible.
 *
 * Names are trimmed and brought into Unicode's form NFC before their length is counted, in code points.
 */
export const VisibleName = (options: { maxLength?: number; description?: string } = {}) =>
  Type.String({ minLength: 1, maxLength: MAX_LENGTH, ...options, [KEYWORD]: true })
const MAX_LENGTH = 100

/** The same for a short text about something, which may be empty. */
export const VisibleText = ({ maxLength }: { maxLength: number }) => Type.String({ maxLength, [KEYWORD]: true })

const KEYWORD = 'x-visible-name'

/** Adds the rule to a validator. In a validated body the name is in the form in which it is stored. */
export function addVisibleNames(ajv: Ajv): void {
  ajv.addKeyword({ keyword: KEYWORD, type: 'string', modifying: true, errors: true, before: 'maxLength', validate })
}

const toStored = (given: string): string => given.normalize('NFC').trim()

/** The same rule for one of many names, which is refused without the others: the name as it is stored, or null. */
export function readVisibleName(given: string): string | null {
  const name = toStored(given)
  const isLong = Array.from(name).length > MAX_LENGTH
  return name === '' || isLong || findProblem(name) !== undefined ? null : name
}

const validate: SchemaValidateFunction = (_schema, given: string, _parent, at) => {
  const name = toStored(given)
  if (at) at.parentData[at.parentDataProperty] = name
  const reason = findProblem(name)
  if (reason === undefined) return true
  validate.errors = [{ keyword: KEYWORD, params: { reason } }]
  return false
}

/**
 * Invisible characters that a script or an emoji needs, in the one place where it needs them. Elsewhere they would let two
 * different names look the same (UTS 39 section 3.1.1, RFC 5892 appendix A).
 */
const NEEDED = [
  // The joiner in emoji of several parts, such as families and flags.
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?)\u200D(?=\p{Extended_Pictographic})`,
  // The choice between an emoji and a plain sign; keycaps.
  String.raw`(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F]|(?<=[0-9#*])\uFE0F(?=\u20E3)`,
  // The flags of England, Scotland and Wales.
  String.raw`(?<=\u{1F3F4})\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}`,
  // Forms of an ideograph, which distinguish Japanese family names.
  String.raw`(?<=\p{Script=Han})[\uFE00-\uFE02\u{E0100}-\u{E01EF}]`,
  // The non-joiner within a word, as in Persian; both joiners after a virama, as in Sinhala and Malayalam.
  String.raw`(?<=[\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Adlm}\p{scx=Rohg}])\u200C(?=[\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Adlm}\p{scx=Rohg}])`,
  String.raw`(?<=[\p{M}&&[\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Mymr}\p{scx=Khmr}]])[\u200C\u200D]`,
  // Forms of Mongolian letters.
  String.raw`(?<=\p{Script=Mongolian})[\u180B-\u180D\u180F]|(?<=\p{Script=Mongolian})\u180E(?=\p{Script=Mongolian})`,
].join('|')

/** Line breaks are control characters or separators; private characters and halves of pairs mean nothing to others. */
const CONTROL = String.raw`[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]`
/** The last one is a Braille pattern without dots. */
const INVISIBLE = String.raw`[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]`

const UNUSUAL = new RegExp(`${NEEDED}|(?<control>${CONTROL})|(?<invisible>${INVISIBLE})`, 'gv')

function findProblem(name: string): PlainIssueReason | undefined {
  if (name === '') return undefined
  for (const { groups } of name.matchAll(UNUSUAL)) {
    if (groups?.['control'] !== undefined) return 'control_character'
    if (groups?.['invisible'] !== undefined) return 'invisible_character'
  }
  return /^\p{M}/v.test(name) ? 'leading_mark' : undefined
}

/** For names that were stored before this rule was: what would be refused today is replaced by a visible sign. */
export const toVisible = (name: string): string =>
  name.replace(UNUSUAL, (found: string, ...rest: unknown[]) => {
    const { control, invisible } = rest.at(-1) as { control?: string; invisible?: string }
    return control === undefined && invisible === undefined ? found : '\uFFFD'
  })
