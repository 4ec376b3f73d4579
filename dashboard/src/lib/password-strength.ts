export type Strength = 0 | 1 | 2 | 3 | 4

const COMMON = /^(password|passwort|qwert[yz]|letmein|welcome|iloveyou|admin|dragon|monkey|football|hunter)[\d\W]*$/i

/**
 * A guide for the eye, not a rule: the server decides what it takes. It estimates guessing work from length and variety,
 * where repeats and runs such as "aaaa" or "1234" count as one character.
 */
export function passwordStrength(password: string, email = ''): Strength {
  if (Array.from(password).length < 8) return 0
  const localPart = email.split('@')[0]?.toLowerCase()
  if (COMMON.test(password) || (localPart && password.toLowerCase().includes(localPart))) return 1
  const bits = surprises(password) * Math.log2(alphabet(password))
  if (bits < 36) return 1
  if (bits < 52) return 2
  return bits < 70 ? 3 : 4
}

function surprises(password: string): number {
  const codes = Array.from(password, (character) => character.codePointAt(0) ?? 0)
  const fresh = codes.filter((code, index) => {
    const before = codes[index - 1]
    return before === undefined || Math.abs(code - before) > 1
  })
  return Math.min(fresh.length, new Set(codes).size * 2)
}

function alphabet(password: string): number {
  const kinds: [RegExp, number][] = [
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/\d/, 10],
    [/[^\w\s]|_/, 32],
    [/\s/, 4],
    [/\P{ASCII}/u, 60],
  ]
  return kinds.reduce((sum, [kind, size]) => sum + (kind.test(password) ? size : 0), 0)
}
