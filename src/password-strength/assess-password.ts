import type { WeakReason } from '../errors.ts'
import type { Estimate, Estimator, Part } from './load-estimator.ts'

export interface Verdict {
  /** Undefined for a password that is accepted. */
  weak: WeakReason | undefined
  /** How good an accepted one is: powers of ten of guesses. */
  guessesLog10: number
}

/** From this length on nothing is among the first guesses, not even one word again and again. */
const LONG = 48

/** Estimating takes time by the square of the length. Of longer passwords the first and the last part are judged. */
const MAX_ESTIMATED = 24

/** A word with signs around it is short. Anything longer is judged as it stands. */
const MAX_DECORATED = 20

/**
 * The rule, on the server and on the page alike: whether a password (normalized as it is stored) would be among the first
 * hundred million guesses of an attacker who knows these personal words. Where it holds characters that are no word and no
 * pattern, a thirtieth of that is enough: the estimator counts ten possibilities for each of those, which is far too few.
 */
export function assessPassword(estimate: Estimator, password: string, personal: string[]): Verdict {
  if (isPersonal(password, personal)) return { weak: 'personal', guessesLog10: 0 }
  if (password.length >= LONG) return { weak: undefined, guessesLog10: LONG }
  const verdict = judge(estimate, password.slice(0, MAX_ESTIMATED), personal)
  if (verdict.weak === undefined || password.length <= MAX_ESTIMATED) return verdict
  const ofItsEnd = judge(estimate, password.slice(-MAX_ESTIMATED), personal)
  return ofItsEnd.weak === undefined ? ofItsEnd : verdict
}

/** A name stays one with signs in it and digits around it. */
function isPersonal(password: string, personal: string[]): boolean {
  const whole = password.toLowerCase()
  const letters = whole.replace(/[^\p{L}\p{N}]+/gu, '').replace(/^\p{N}+|\p{N}+$/gu, '')
  return personal.includes(whole) || personal.includes(letters)
}

function judge(estimate: Estimator, password: string, personal: string[]): Verdict {
  const asItStands = estimate(password, personal)
  if (isWeak(asItStands)) return { weak: reasonOf(asItStands), guessesLog10: asItStands.guessesLog10 }
  for (const plain of withoutSigns(password)) {
    const { parts, guessesLog10 } = estimate(plain, personal)
    // Ten guesses for each sign that was left out.
    const undecorated = { parts, guessesLog10: guessesLog10 + password.length - plain.length }
    if (isWeak(undecorated)) return { weak: reasonOf(undecorated), guessesLog10: undecorated.guessesLog10 }
  }
  return { weak: undefined, guessesLog10: asItStands.guessesLog10 }
}

const MIN_LOG10 = 8
const MIN_LOG10_WITH_RANDOM_PART = 6.5

const isWeak = ({ guessesLog10, parts }: Estimate): boolean =>
  guessesLog10 < (parts.some(isRandom) ? MIN_LOG10_WITH_RANDOM_PART : MIN_LOG10)

const isRandom = ({ pattern, token }: Part): boolean =>
  pattern === 'bruteforce' && token.length >= 3 && !/^\d+$/.test(token)

/** `Summer2024!` and `Admin@123` are guessed as `Summer2024` and `Admin123`; the estimator takes the signs for random. */
function withoutSigns(password: string): string[] {
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
