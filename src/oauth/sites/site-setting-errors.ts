import { defineErrors } from '../../errors.ts'

/** What is wrong with the settings of a site. */
export const siteSettingErrors = defineErrors({
  header_has_other_meaning: ['invalid_input', 'The header {header} has another meaning.'],
  header_used_twice: ['invalid_input', 'Each header can be used once.'],
  roles_without_policy: ['invalid_input', 'Only a rule with the policy "roles" has roles.'],
  rule_needs_role: ['invalid_input', 'A rule with the policy "roles" needs at least one role.'],
  rule_path_has_control_characters: ['invalid_input', 'The path must not have control characters.'],
  rule_path_has_dot_segments: ['invalid_input', 'The path must not have dot segments.'],
  rule_path_has_special_characters: ['invalid_input', 'The path must not have ?, #, % or \\.'],
  rule_path_has_two_slashes: ['invalid_input', 'The path must not have two slashes in a row.'],
  rule_path_needs_slash: ['invalid_input', 'The path must begin with a slash.'],
  rule_path_wildcard: ['invalid_input', 'The path may have an asterisk only at its end, after a slash.'],
  site_host_malformed: [
    'invalid_input',
    'A host is a DNS name, such as wiki.example.com, with a port if it is not 443.',
  ],
  site_host_taken: ['host_taken', 'One of these hosts is that of another site, or of this service itself.'],
  site_host_twice: ['invalid_input', 'This host is there twice.'],
})
