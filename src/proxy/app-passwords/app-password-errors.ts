import { defineErrors } from '../../errors.ts'

export const appPasswordErrors = defineErrors({
  app_password_expiry_past: ['invalid_input', 'expiresAt must be in the future, in milliseconds.'],
  app_password_site_unknown: ['invalid_input', 'There is no such site that takes app passwords and that you may use.'],
  no_such_app_password: ['not_found', 'There is no such app password.'],
  too_many_app_passwords: ['conflict', 'You have {max} app passwords already. End one that is not needed any more.'],
})
