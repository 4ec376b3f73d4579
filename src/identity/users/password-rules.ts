import { Type } from 'typebox'
import { AppError, atField, type WeakReason } from '../../errors.ts'
import type { Services } from '../../platform/services.ts'
import { personalWords, type PersonalDetails } from '../password-strength/personal-words.ts'

/** Lengths count characters as people see them written, not bytes. */
export const NewPassword = Type.String({
  minLength: 8,
  maxLength: 128,
  description:
    'At least 8 characters, at most 128. One that is easy to guess is refused with 400 `weak_password`; `reason` says why.',
})

/** The current password, as the user typed it: any length that was ever allowed. */
export const GivenPassword = Type.String({ minLength: 1, maxLength: 128 })

/** The same password from another keyboard can come as other code points. */
export const normalizePassword = (password: string): string => password.normalize('NFKC')

interface WeakPasswordCheck {
  /** The name of the request's field, and the password itself, normalized. */
  field: string
  password: string
  /** The user whose password it becomes, and the remote address of the request. */
  person: PersonalDetails
  address: string
}

/** Refuses a password that is easy to guess. The dashboard shows the same verdict while it is typed. */
export async function refuseWeakPassword(
  { config, strength }: Pick<Services, 'config' | 'strength'>,
  { field, password, person, address }: WeakPasswordCheck,
): Promise<void> {
  const personal = personalWords(person, new URL(config.dashboardOrigin).hostname)
  const { weak } = await strength.assess({ password, personal }, address)
  if (weak === undefined) return
  throw atField(field, new AppError('weak_password', SENTENCES[weak], { reason: weak }))
}

const SENTENCES: Record<WeakReason, string> = {
  common: 'This password is among the first that anyone would guess. Choose another.',
  personal: 'This password is made of your name, your email address or the name of this service. Choose another.',
  word: 'A word or a name is easy to guess, also with digits and signs added. Use several unrelated words.',
  keyboard: 'Keys that lie next to each other are easy to guess. Use several unrelated words.',
  repeat: 'The same characters again and again are easy to guess. Use several unrelated words.',
  sequence: 'Sequences such as abc or 1234 are easy to guess. Use several unrelated words.',
  date: 'Dates and years are easy to guess. Use several unrelated words.',
  simple: 'This password is too easy to guess. Make it longer, or use several unrelated words.',
}
