import { defineErrors } from '../errors.ts'

export const sshErrors = defineErrors({
  certificate_lifetime_too_long: ['invalid_input', 'The longest lifetime that {roles} allows is {max} seconds.'],
  extension_values_differ: [
    'conflict',
    'Your roles give different values for the extension {name}: {roles}. Ask an administrator to change that.',
  ],
  host_name_taken: ['conflict', 'There is already a host of this name.'],
  host_role_unknown: ['invalid_input', 'There is no such role.'],
  hostname_invalid: ['invalid_input', '{name} is not a DNS name or address, such as web1.example.com or 192.0.2.7.'],
  hostname_not_allowed: ['invalid_input', '{name} is not within SSH_HOST_PATTERNS: {patterns}.'],
  hostname_taken: ['conflict', 'Another host has one of these names.'],
  hostname_twice: ['invalid_input', 'A name is there twice.'],
  no_such_certificate: ['not_found', 'There is no such certificate.'],
  no_such_host: ['not_found', 'There is no such host.'],
  no_such_host_session: ['not_found', 'The host reports no session with this certificate.'],
  no_such_ssh_key: ['not_found', 'You have no such key.'],
  no_unix_account: [
    'conflict',
    'There is no UNIX account that you may log in as. Ask an administrator for a username, or for a role with principals.',
  ],
  principals_not_given: ['forbidden', 'No role of yours gives you {names}.'],
  principals_of_several_groups: [
    'conflict',
    'These are given by roles with different rules, so they need certificates of their own: {names}.',
  ],
  role_needs_security_key: ['conflict', 'The role {roles} needs a key in a security key: ssh-keygen -t ed25519-sk.'],
  ssh_key_taken: ['conflict', 'This key is saved already. A key belongs to one person: make another with ssh-keygen.'],
  ssh_key_unreadable: ['conflict', 'This saved key can’t be read any more. Delete it, and save it again.'],
  too_many_hosts: ['conflict', 'There are {max} hosts already.'],
  too_many_principals: [
    'conflict',
    'Your roles add up to {count} principals, and a certificate holds {max}. Request some of them.',
  ],
  too_many_ssh_keys: ['conflict', 'You have {max} keys already. Delete one that you no longer use.'],
})

/** What hosts and the command line are told. */
export const sshHostErrors = defineErrors({
  clock_behind_certificates: [
    'conflict',
    'The clock of this machine is behind that of the one that issued certificates. Set it right first.',
  ],
  enrollment_token_ended: ['unauthenticated', 'This token was used, has expired or was replaced. Ask for a new one.'],
  host_key_taken: ['conflict', 'Another host has this key. Make a new one with ssh-keygen.'],
  host_key_twice: ['invalid_input', 'A key is there twice.'],
  host_key_type: ['invalid_input', 'The key of a host must be of type ssh-ed25519.'],
  host_token_needed: ['unauthenticated', 'This needs the token of an enrolled host.'],
  revocations_unreadable: ['unavailable', 'The revocations can’t be read at the moment. Keep the list you have.'],
})
