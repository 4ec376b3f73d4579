import { defineErrors } from '../../errors.ts'

/** What applications are told about any request to the endpoints of the protocol. */
export const protocolErrors = defineErrors({
  body_not_utf8: ['invalid_request', 'The body is not UTF-8.'],
  client_id_differs: ['invalid_request', 'The client_id of the body is not that of the Authorization header.'],
  client_not_identified: ['invalid_client', 'The client did not identify itself.'],
  code_challenge_malformed: ['invalid_request', 'The code_challenge is not a SHA-256 in base64url.'],
  code_challenge_method_unknown: ['invalid_request', 'The code_challenge_method must be S256.'],
  code_verifier_malformed: ['invalid_grant', 'The code_verifier has a wrong form.'],
  code_verifier_missing: ['invalid_grant', 'The code_verifier is missing.'],
  code_verifier_not_expected: ['invalid_grant', 'The code was requested without a code_challenge.'],
  code_verifier_wrong: ['invalid_grant', 'The code_verifier does not match the code_challenge.'],
  credentials_in_url: ['invalid_request', 'Credentials must not be sent in the URL.'],
  credentials_wrong: ['invalid_client', 'The client is unknown or its credentials are wrong.'],
  grant_type_not_allowed: ['unauthorized_client', 'This client may not use the grant type {grantType}.'],
  id_token_hint_unknown: ['invalid_request', 'The id_token_hint is not a token that was issued here.'],
  parameter_holds_nul: ['invalid_request', 'A parameter holds a NUL character.'],
  parameter_missing: ['invalid_request', 'The parameter {name} is missing.'],
  parameter_repeated: ['invalid_request', 'The parameter {name} is given twice.'],
  parameters_too_large: ['invalid_request', 'The request is larger than {max} KB.'],
  scope_malformed: ['invalid_scope', 'The scope is missing or malformed.'],
  scope_not_allowed: ['invalid_scope', 'The scope goes beyond what this application may ask for.'],
  two_authentication_methods: ['invalid_request', 'The client uses two authentication methods at once.'],
})
