import { refuseField } from '../errors.ts'
import { VisibleName } from '../http/visible-name.ts'
import { authenticatorName } from './authenticator-names.ts'

export const PasskeyName = VisibleName({ description: 'One line without < and >.' })

/** Angle brackets are markup to somebody who shows the name elsewhere. */
export function refuseMarkup(name: string): void {
  if (/[<>]/.test(name)) refuseField('name', 'The name of a passkey has no < and >.')
}

/** What to call a passkey whose owner gave it no name. */
export const defaultPasskeyName = (aaguid: string): string => authenticatorName(aaguid) ?? 'Passkey'
