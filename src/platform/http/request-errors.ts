import { defineErrors } from '../../errors.ts'

/** What can be wrong with any request, and with the service itself. */
export const requestErrors = defineErrors({
  body_empty: ['malformed_body', 'The body is empty, but JSON was announced.'],
  body_too_large: ['body_too_large', 'The body is too large.'],
  briefly_unavailable: ['unavailable', 'The service is briefly unavailable. Please try again.'],
  internal_error: ['internal_error', 'Something went wrong on our side.'],
  media_type_not_accepted: ['unsupported_media_type', 'This media type is not accepted here.'],
  nothing_here: ['not_found', 'There is nothing here.'],
  request_malformed: ['malformed_body', 'The request is malformed.'],
  uri_too_long: ['uri_too_long', 'The URL is too long.'],
})
