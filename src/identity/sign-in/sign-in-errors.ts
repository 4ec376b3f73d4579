import { defineErrors } from '../../errors.ts'

export const signInErrors = defineErrors({
  account_has_no_password: [
    'wrong_password',
    'This account has no password yet. Set one through "forgotten password".',
  ],
  current_password_missing: ['invalid_input', 'Give your current password.'],
  current_password_wrong: ['wrong_password', 'The current password is wrong.'],
  email_or_password_wrong: ['wrong_credentials', 'The email or the password is wrong.'],
  link_expired: ['invalid_token', 'This link is no longer valid. Ask for a new one.'],
  link_of_another_account: [
    'forbidden',
    'This link belongs to another account. Sign in to that account to confirm its address.',
  ],
  nothing_to_keep: ['invalid_input', 'Nothing is to be decided with this link.'],
  password_being_changed: ['conflict', 'The password is being changed just now. Try again.'],
  password_needed_after_restore: [
    'forbidden',
    'The address of this account was taken back. First set a password, with the link in the mail that was sent to the address.',
  ],
  proof_wrong: ['wrong_proof', 'That was not right. Try again.'],
  registration_closed: ['registration_closed', 'Accounts here are made by an administrator.'],
  too_many_registrations: ['too_many_requests', 'Too many accounts were made from your network. Try again in an hour.'],
})
