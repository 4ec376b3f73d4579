import { refuseField } from '../../errors.ts'
import { VisibleName } from '../../platform/http/visible-name.ts'
import { authenticatorName } from './authenticator-names.ts'

export const PasskeyName = VisibleName({ description: 'One line without < and >.' })

/** Where the name is shown without escaping, angle brackets would be markup. */
export function refuseMarkup(name: string): void {
  if (/[<>]/.test(name)) refuseField('name', 'The name of a passkey has no < and >.')
}

/** The name of a passkey that its owner gave no name. */
export const defaultPasskeyName = (aaguid: string): string => authenticatorName(aaguid) ?? 'Passkey'
