import { defineErrors } from '../../errors.ts'

/** What can be wrong with any request, and with the service itself. */
export const requestErrors = defineErrors({
  about_with_others: ['invalid_input', 'Name either about, or actor and target.'],
  body_empty: ['malformed_body', 'The body is empty, but JSON was announced.'],
  body_compressed: ['unsupported_media_type', 'Compressed bodies are not accepted.'],
  body_not_json: ['malformed_body', 'The body is not valid JSON in UTF-8.'],
  body_too_deep: ['malformed_body', 'The body is nested deeper than {max} levels.'],
  body_too_large: ['body_too_large', 'The body is too large.'],
  body_too_slow: ['request_timeout', 'The body took too long to arrive.'],
  briefly_unavailable: ['unavailable', 'The service is briefly unavailable. Please try again.'],
  cursor_unknown: ['invalid_input', 'The cursor is not one that this server gave out.'],
  field_forbidden: ['malformed_body', 'The body has a field that is not allowed: {name}.'],
  field_twice: ['malformed_body', 'The body gives {name} twice.'],
  foreign_page: ['foreign_origin', 'This works only on pages of {origin}.'],
  headers_too_large: ['headers_too_large', 'The headers are too large.'],
  internal_error: ['internal_error', 'Something went wrong on our side.'],
  media_type_not_accepted: ['unsupported_media_type', 'This media type is not accepted here.'],
  method_not_allowed: ['method_not_allowed', 'This method is not allowed here.'],
  not_http: ['malformed_body', 'This is not a valid HTTP request.'],
  nothing_at: ['not_found', 'There is nothing at {path}.'],
  nothing_here: ['not_found', 'There is nothing here.'],
  request_malformed: ['malformed_body', 'The request is malformed.'],
  request_too_slow: ['request_timeout', 'The request took too long to arrive.'],
  uri_too_long: ['uri_too_long', 'The URL is too long.'],
})

/** For whoever watches the service: no page shows these. */
export const healthErrors = defineErrors({
  clocks_differ: ['unavailable', "This machine's clock and that of the database differ by {seconds} seconds."],
  database_silent: ['unavailable', 'The database does not answer.'],
  stopping: ['unavailable', 'The service is stopping.'],
})
