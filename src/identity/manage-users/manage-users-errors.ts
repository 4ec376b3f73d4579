import { defineErrors } from '../../errors.ts'

export const manageUsersErrors = defineErrors({
  invitation_expired: ['invalid_token', 'This invitation is no longer valid. Ask whoever invited you for a new one.'],
  no_role_of_this_name: ['not_found', 'There is no role {name}.'],
  not_a_name: ['invalid_input', 'This is not a name.'],
  not_a_username: ['invalid_input', 'This is not a username.'],
  not_an_email_address: ['invalid_input', 'This is not an email address.'],
  own_email_in_account: ['conflict', 'You change your own address on the page of your account, and confirm it there.'],
  person_has_password: ['conflict', 'This person has set a password already.'],
  person_was_here: ['conflict', 'This person has been here already.'],
  planned_actions_need_permission: ['forbidden', 'Seeing planned actions needs the permission users:lifecycle.'],
  roles_need_permission: ['forbidden', 'Giving roles needs the permission roles:assign.'],
  user_disabled: ['conflict', 'This account is disabled.'],
  username_not_held_back: ['not_found', 'This username is not held back for anybody.'],
  username_of_deleted_account: ['forbidden', 'Only an administrator frees the username of a deleted account.'],
})
