import { defineErrors } from '../../errors.ts'

export const passkeyErrors = defineErrors({
  last_passkey: [
    'conflict',
    'This is the only way to sign in to your account. Add another passkey or set a password first.',
  ],
  no_conditional_passkey: [
    'forbidden',
    'A browser makes a passkey by itself only once after a sign-in with the password, within five minutes, and where it has been known for seven days.',
  ],
  no_such_passkey: ['not_found', 'There is no such passkey.'],
  passkey_name_has_markup: ['invalid_input', 'The name of a passkey has no < and >.'],
  passkey_not_accepted: ['passkey_refused', 'The passkey was not accepted. Please try again.'],
  passkey_not_known: ['passkey_refused', 'This passkey does not belong to an account here any more.'],
  passkey_registered_already: ['conflict', 'This passkey is already registered.'],
  too_many_passkeys: ['conflict', 'An account has at most {max} passkeys.'],
})
