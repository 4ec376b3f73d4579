import { atField } from '../../errors.ts'
import { VisibleName } from '../../platform/http/visible-name.ts'
import { authenticatorName } from './authenticator-names.ts'
import { passkeyErrors } from './passkey-errors.ts'

// Apart from the ceremonies, whose library the routes don't load at the start of the service.

export const PasskeyName = VisibleName({ description: 'One line without < and >.' })

/** Where the name is shown without escaping, angle brackets would be markup. */
export function refuseMarkup(name: string): void {
  if (/[<>]/.test(name)) throw atField('name', passkeyErrors.passkey_name_has_markup())
}

/** The name of a passkey that its owner gave no name. */
export const defaultPasskeyName = (aaguid: string): string => authenticatorName(aaguid) ?? 'Passkey'
