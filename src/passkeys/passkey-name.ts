import { refuseField } from '../errors.ts'
import { authenticatorName } from './authenticator-names.ts'

const LONGEST = 100
/** Control characters and line breaks could forge a line of a log or a mail, angle brackets are markup to somebody. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}<>]/u

/** A name somebody gives a passkey. Lengths are those a person would count. */
export function readPasskeyName(given: string): string {
  const name = given.trim()
  const length = Array.from(name).length
  if (length === 0 || length > LONGEST) refuseField('name', `A name has 1 to ${LONGEST} characters.`)
  if (UNFIT.test(name)) refuseField('name', 'A name is one line of text without < and >.')
  return name
}

/** What to call a passkey whose owner gave it no name. */
export const defaultPasskeyName = (aaguid: string): string => authenticatorName(aaguid) ?? 'Passkey'
