import { digest } from '../../platform/crypto/digest.ts'
import type { Services } from '../../platform/services.ts'
import { base32 } from './totp.ts'

const CODES = 10
/** 12 letters of 5 bits. */
const LETTERS = 12

/** Ten new ones, as people see them. */
export const newRecoveryCodes = ({ random }: Pick<Services, 'random'>): string[] =>
  Array.from({ length: CODES }, () => {
    const letters = base32(random.bytes(8)).slice(0, LETTERS).toLowerCase()
    return letters.replaceAll(/.{4}(?=.)/g, '$&-')
  })

/** How one is stored. People type them in capitals, and with or without dashes and spaces. */
export const recoveryDigest = (userId: string, code: string): string =>
  digest(`${userId}:${code.replaceAll(/[-\s]/g, '').toLowerCase()}`)
