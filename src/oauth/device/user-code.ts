import type { Random } from '../../platform/crypto/random.ts'
import type { Vault } from '../../platform/crypto/vault.ts'

/** RFC 8628 section 6.1: without vowels, so that no words occur, and without letters that look like others. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8
/** Bytes from here on are dropped: all letters must be equally likely. */
const END = 256 - (256 % LETTERS.length)

/** The code that a person compares or types. Eight letters are 34 bits: guesses are limited. */
export function newUserCode(random: Random): string {
  let code = ''
  while (code.length < LENGTH) {
    const usable = random.bytes(LENGTH).filter((byte) => byte < END)
    code += Array.from(usable, (byte) => LETTERS[byte % LETTERS.length]).join('')
  }
  return code.slice(0, LENGTH)
}

export const formatUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

const CODE = new RegExp(`^[${LETTERS}]{${LENGTH}}$`)

/** What a person has typed, without regard to case, dashes and spaces. Undefined when it can't be a code. */
export function readUserCode(text: string): string | undefined {
  const code = text.replaceAll(/[\s\p{Pd}]/gu, '').toUpperCase()
  return CODE.test(code) ? code : undefined
}

/** What is stored instead of the code. A plain digest of so few bits could be inverted by trying all codes. */
export const userCodeMac = (vault: Pick<Vault, 'mac'>, code: string): string => vault.mac('device user code', code)
