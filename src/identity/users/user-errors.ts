import { defineErrors } from '../../errors.ts'

export const userErrors = defineErrors({
  account_disabled: ['account_disabled', 'Your account has been disabled.'],
  email_domain_not_accepted: ['email_domain', 'Addresses of {domain} are not accepted here.'],
  email_not_confirmed: ['email_unconfirmed', 'Confirm your email address first, with the link that was sent to it.'],
  email_taken: ['conflict', 'There is already an account with this email.'],
  no_such_user: ['not_found', 'There is no such user.'],
  password_not_checked: ['unavailable', 'The password could not be checked just now. Please try again.'],
  principal_is_username: ['conflict', 'The principal {principal} is the username of {email}.'],
  username_is_principal: ['conflict', 'The username {username} is a principal of the role {role}.'],
  username_recently_given_up: [
    'username_held',
    'The username {username} was given up not long ago, and nobody else can have it yet.',
  ],
  username_reserved: ['invalid_input', 'This username is reserved.'],
  username_taken: ['conflict', 'The username {username} is taken.'],
})
