import { defineErrors } from '../../errors.ts'

/** Also of `identity/manage-roles/`. */
export const roleErrors = defineErrors({
  admin_role_has_all_permissions: ['conflict', "The administrator's role has every permission."],
  administrator_exists: ['conflict', 'There is an administrator already.'],
  attribute_has_nul: ['invalid_input', 'An attribute has a NUL character.'],
  attributes_too_large: ['invalid_input', 'The attributes are larger than 16 KB.'],
  bootstrap_secret_wrong: ['wrong_secret', 'This is not the bootstrap secret.'],
  built_in_role_keeps_name: ['conflict', 'A built-in role keeps its name.'],
  nothing_to_set_up: ['conflict', 'No role demands anything of this person for which they have nothing.'],
  demand_locks_out: [
    'conflict',
    'This would be demanded of the last administrator, and your own sign-in is less. Sign in with what is demanded first.',
  ],
  last_means_of_administrator: [
    'conflict',
    'A role demands this of the last administrator, who has nothing else for it.',
  ],
  built_in_role_stays: ['conflict', "A built-in role can't be deleted."],
  custom_extension_twice: ['invalid_input', 'An extension is there twice.'],
  force_command_not_one_line: ['invalid_input', 'The command must be one line without control characters.'],
  gives_more_than_held: ['forbidden', "You can't give what you don't hold yourself: {more}."],
  last_administrator: ['conflict', 'This is the last active administrator. Make somebody else one first.'],
  demand_planned_in_past: ['invalid_input', 'Choose a time in the future, at most a year away.'],
  demand_planned_not_more: ['invalid_input', 'What is planned has to be more than the role demands now.'],
  no_such_permission: ['not_found', 'There is no such permission.'],
  no_such_role: ['not_found', 'There is no such role.'],
  own_access_admitted: ['own_access', 'This would let you in at {place}. Somebody else has to do it.'],
  own_access_attributes: ['own_access', 'These attributes are your own. Somebody else has to change them.'],
  own_access_confirmation: ['own_access', 'This would let you in without a confirmed address. Confirm yours first.'],
  own_access_more: ['own_access', "This would give you what you don't hold: {more}."],
  own_access_named: ['own_access', 'This would change what you are called at {place}. Somebody else has to do it.'],
  own_access_role: ['own_access', "You can't give yourself a role. Ask somebody else who may assign roles."],
  own_access_role_name: [
    'own_access',
    'Applications call you by the name of this role. Somebody else has to change it.',
  ],
  own_access_sudo: ['own_access', 'This would let you use sudo on {place}. Somebody else has to do it.'],
  own_access_username: ['own_access', 'Applications know you by your username. Somebody else has to change it.'],
  person_holds_more: ['forbidden', 'This person holds more than you do: {more}.'],
  range_has_bits_after_prefix: ['invalid_input', '{range} has bits set after its prefix. Write {network}/{prefix}.'],
  range_is_ipv4_as_ipv6: ['invalid_input', '{range} is an IPv4 range written as IPv6. Write it as IPv4.'],
  range_malformed: ['invalid_input', '{range} is not a range such as 192.0.2.0/24 or 2001:db8::/32.'],
  role_holds_more: ['forbidden', 'This role holds more than you do: {more}.'],
  role_lacks_permission: ['not_found', 'The role does not have this permission.'],
  role_name_taken: ['conflict', 'There is already a role of this name.'],
  role_not_held: ['not_found', 'This person does not have this role.'],
  role_of_everybody: ['conflict', 'Everyone with an account has this role.'],
  user_or_role_gone: ['not_found', 'The user or the role is not there any more.'],
})

/** For the command line. */
export const operatorErrors = defineErrors({
  no_account_with_email: ['not_found', 'There is no account with the email {email}.'],
  account_to_enable_first: ['conflict', 'The account {email} is disabled. Enable it first.'],
})
