import { type WeakReason } from '../../errors.ts'
import type { Estimate, Estimator, Part } from './load-estimator.ts'

export interface Verdict {
  /** Undefined for a password that is accepted. */
  weak: WeakReason | undefined
  /** How good an accepted one is: powers of ten of guesses. */
  guessesLog10: number
}

/** A password of this length is never among the first guesses, not even one word repeated. */
const ALWAYS_ACCEPTED_LENGTH = 48

/** The time for an estimate grows with the square of the length. Of longer passwords the beginning and the end are estimated. */
const MAX_ESTIMATED = 24

/** A word with symbols around it is short. In longer passwords symbols are not removed. */
const MAX_DECORATED = 20

/**
 * The rule, on the server and on the page alike: whether a password (normalized as it is stored) would be among the first
 * hundred million guesses of an attacker who knows these personal words. Where it holds characters that are no word and no
 * pattern, a thirtieth of that is enough: the estimator counts ten possibilities for each of those, which is far too few.
 */
export function assessPassword(estimate: Estimator, password: string, personal: string[]): Verdict {
  if (isPersonal(password, personal)) return { weak: 'personal', guessesLog10: 0 }
  if (password.length >= ALWAYS_ACCEPTED_LENGTH) return { weak: undefined, guessesLog10: ALWAYS_ACCEPTED_LENGTH }
  const verdict = assess(estimate, password.slice(0, MAX_ESTIMATED), personal)
  if (verdict.weak === undefined || password.length <= MAX_ESTIMATED) return verdict
  const verdictOnEnd = assess(estimate, password.slice(-MAX_ESTIMATED), personal)
  return verdictOnEnd.weak === undefined ? verdictOnEnd : verdict
}

/** A personal word is recognized with symbols in it and digits around it. */
function isPersonal(password: string, personal: string[]): boolean {
  const whole = password.toLowerCase()
  const letters = whole.replace(/[^\p{L}\p{N}]+/gu, '').replace(/^\p{N}+|\p{N}+$/gu, '')
  return personal.includes(whole) || personal.includes(letters)
}

function assess(estimate: Estimator, password: string, personal: string[]): Verdict {
  const unchanged = estimate(password, personal)
  if (isWeak(unchanged)) return { weak: reasonOf(unchanged), guessesLog10: unchanged.guessesLog10 }
  for (const plain of withoutSymbols(password)) {
    const { parts, guessesLog10 } = estimate(plain, personal)
    // Ten guesses for each symbol that was left out.
    const undecorated = { parts, guessesLog10: guessesLog10 + password.length - plain.length }
    if (isWeak(undecorated)) return { weak: reasonOf(undecorated), guessesLog10: undecorated.guessesLog10 }
  }
  return { weak: undefined, guessesLog10: unchanged.guessesLog10 }
}

const MIN_LOG10 = 8
const MIN_LOG10_WITH_RANDOM_PART = 6.5

const isWeak = ({ guessesLog10, parts }: Estimate): boolean =>
  guessesLog10 < (parts.some(isRandom) ? MIN_LOG10_WITH_RANDOM_PART : MIN_LOG10)

const isRandom = ({ pattern, token }: Part): boolean =>
  pattern === 'bruteforce' && token.length >= 3 && !/^\d+$/.test(token)

/** `Summer2024!` and `Admin@123` are guessed as `Summer2024` and `Admin123`; the estimator counts the symbols as random. */
function withoutSymbols(password: string): string[] {
  if (password.length > MAX_DECORATED) return []
  const [stem = ''] = /^.*[\p{L}\p{N}]/u.exec(password) ?? []
  const inside = stem.replace(/^(\p{L}+)[^\p{L}\p{N}]+(\p{N}+)$|^(\p{N}+)[^\p{L}\p{N}]+(\p{L}+)$/u, '$1$2$3$4')
  return [...new Set([stem, inside])].filter((plain) => plain.length >= 4 && plain !== password)
}

/** By the longest part. */
function reasonOf({ parts }: Estimate): WeakReason {
  const [longest] = parts.toSorted((one, other) => other.token.length - one.token.length)
  if (longest?.pattern === 'dictionary') return reasonOfWord(longest.dictionary)
  return REASONS.get(longest?.pattern ?? '') ?? 'simple'
}

const REASONS = new Map<string, WeakReason>([
  ['spatial', 'keyboard'],
  ['repeat', 'repeat'],
  ['sequence', 'sequence'],
  ['date', 'date'],
  // A year.
  ['regex', 'date'],
])

function reasonOfWord(dictionary: string | undefined): WeakReason {
  if (dictionary === 'userInputs') return 'personal'
  return dictionary === 'common' || dictionary === 'passwords' ? 'common' : 'word'
}
