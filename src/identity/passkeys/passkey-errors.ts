import { defineErrors } from '../../errors.ts'

export const passkeyErrors = defineErrors({
  last_passkey: [
    'conflict',
    'This is the only way to sign in to your account. Add another passkey or set a password first.',
  ],
  no_such_passkey: ['not_found', 'There is no such passkey.'],
  passkey_name_has_markup: ['invalid_input', 'The name of a passkey has no < and >.'],
  passkey_not_accepted: ['passkey_refused', 'The passkey was not accepted. Please try again.'],
  passkey_registered_already: ['conflict', 'This passkey is already registered.'],
  too_many_passkeys: ['conflict', 'An account has at most {max} passkeys.'],
})
