import { defineErrors } from '../../errors.ts'

export const appPasswordErrors = defineErrors({
  app_password_expiry_past: ['invalid_input', 'expiresAt must be in the future, in milliseconds.'],
  app_password_site_unknown: ['invalid_input', 'There is no such site that takes app passwords and that you may use.'],
  no_such_app_password: ['not_found', 'There is no such app password.'],
  site_demands_stronger_sign_in: [
    'step_up_needed',
    'This site demands a stronger sign-in. Confirm that it is you in that way, and then try again.',
  ],
  too_many_app_passwords: ['conflict', 'You have {max} app passwords already. End one that is not needed any more.'],
})
