import { defineErrors } from '../../errors.ts'

/**
 * What is wrong with an authorization request or a logout. The code is for the pages here; where an application is told, its error is given
 * beside.
 */
export const authorizationErrors = defineErrors({
  acr_not_met: ['invalid_request', 'The user has no passkey or second step with which to sign in as is demanded.'],
  answer_sent_already: ['invalid_request', 'This answer was sent already. Go back to the application and start again.'],
  authorization_codes_not_allowed: ['invalid_request', 'This application may not use authorization codes.'],
  claims_malformed: ['invalid_request', 'The claims must be a JSON object.'],
  client_unknown: ['invalid_request', 'No application is registered under this client_id.'],
  consent_needed: ['invalid_request', 'The user has not granted this yet.'],
  form_needs_web_address: ['invalid_request', 'A form can be sent to http and https addresses only.'],
  id_token_hint_of_other_client: ['invalid_request', 'The id_token_hint was not issued to this client_id.'],
  logout_uri_not_registered: [
    'invalid_request',
    'The post_logout_redirect_uri is not one that this application has registered.',
  ],
  max_age_exceeded: ['invalid_request', 'The user signed in, but did not come back within max_age.'],
  max_age_malformed: ['invalid_request', 'The max_age must be a number of seconds.'],
  nonce_needed: ['invalid_request', 'Without PKCE a request needs the scope openid and a nonce.'],
  nonce_too_long: ['invalid_request', 'The nonce is longer than {max} characters.'],
  other_user_signed_in: ['invalid_request', 'Another user than the hinted one signed in.'],
  pkce_needed: ['invalid_request', 'PKCE is required: the parameter code_challenge is missing.'],
  pkce_needed_by_now: ['invalid_request', 'PKCE is required by now. Start again.'],
  prompt_none_not_alone: ['invalid_request', 'The prompt none stands alone.'],
  prompt_unknown: ['invalid_request', 'The prompt may be none, login, consent, select_account.'],
  redirect_uri_not_registered: ['invalid_request', 'The redirect_uri is not one that this application has registered.'],
  request_objects_unsupported: ['invalid_request', 'Request objects are not supported.'],
  response_mode_unknown: ['invalid_request', 'The response_mode may be {known}.'],
  response_type_unknown: ['invalid_request', 'The only response_type here is code.'],
  sign_in_expired: [
    'invalid_request',
    'This sign-in has expired or was finished already. Go back to the application and start again.',
  ],
  sign_in_needed: ['invalid_request', 'Nobody suitable is signed in.'],
  trial_needs_permission: ['invalid_request', 'Trying a sign-in needs the permission oauth_clients:read.'],
  two_users_hinted: ['invalid_request', 'The claims and the id_token_hint are about two users.'],
  user_declined: ['invalid_request', 'The user said no.'],
  user_may_not_use_application: ['invalid_request', 'The user may not use this application.'],
})

/** What somebody who decides on the consent page is told. */
export const consentErrors = defineErrors({
  request_answered: ['conflict', 'This request was answered already.'],
})
