import { defineErrors } from '../../errors.ts'

/** What receivers of shared signals are told. */
export const signalErrors = defineErrors({
  authorization_header_malformed: [
    'invalid_input',
    'The authorization_header must be printable ASCII on one line, without spaces at its ends.',
  ],
  no_such_stream: ['not_found', 'There is no such stream.'],
  poll_address_not_chosen: ['invalid_input', 'Where a stream is polled is said by this service.'],
  push_address_needed: ['invalid_input', 'Push needs an endpoint_url.'],
  receiver_lacks_scope: ['insufficient_scope', 'The access token lacks the scope {scope}.'],
  receiver_token_needed: ['invalid_access_token', 'An access token of client credentials is needed.'],
  receiver_token_unusable: ['invalid_access_token', 'The access token is unknown, expired or revoked.'],
  stream_exists: ['conflict', 'This client has a stream already.'],
  stream_is_disabled: ['invalid_input', 'The stream is disabled, so nothing is sent on it.'],
  stream_value_differs: ['invalid_input', 'This value is supplied by this service, and is another one.'],
})
