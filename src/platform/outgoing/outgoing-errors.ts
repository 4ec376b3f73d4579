import { defineErrors } from '../../errors.ts'

/** Why an address can't be one that requests are sent to. */
export const outgoingErrors = defineErrors({
  address_not_allowed: [
    'address_not_allowed',
    'This address is not public, and OUTGOING_ALLOW does not allow it. Ask who runs this service.',
  ],
  outgoing_address_malformed: [
    'invalid_input',
    'This address must be an absolute https URL without user information, fragment, spaces and control characters.',
  ],
  outgoing_address_needs_https: [
    'invalid_input',
    'This address must use https. OUTGOING_ALLOW can allow http for hosts and addresses of a private network.',
  ],
})
