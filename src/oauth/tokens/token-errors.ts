import { defineErrors } from '../../errors.ts'

/** What applications are told about codes, tokens and grants. */
export const tokenErrors = defineErrors({
  access_token_lacks_openid: ['insufficient_scope', 'The access token lacks the scope openid.'],
  access_token_needed: ['invalid_access_token', 'An access token is needed.'],
  access_token_of_client: ['insufficient_scope', 'The access token was issued to a client, and is about no user.'],
  access_token_repeated: ['invalid_request', 'The access token is given twice.'],
  access_token_unusable: ['invalid_access_token', 'The access token is unknown, expired or revoked.'],
  code_of_other_redirect_uri: ['invalid_grant', 'The redirect_uri is not that of the request.'],
  code_unusable: ['invalid_grant', 'The code is unknown, expired or used.'],
  device_code_expired: ['expired_token', 'The device code has expired.'],
  device_code_unusable: ['invalid_grant', 'The device code is unknown or used.'],
  device_denied: ['access_denied', 'The user said no.'],
  device_polls_too_often: ['slow_down', 'Wait longer between two requests.'],
  device_undecided: ['authorization_pending', 'The user has not decided yet.'],
  grant_type_unknown: ['unsupported_grant_type', 'The grant types here are {known}.'],
  refresh_token_unusable: ['invalid_grant', 'The refresh token is unknown, expired or revoked.'],
  sign_in_too_old: ['invalid_grant', 'The application demands a more recent sign-in.'],
  sign_in_too_weak: ['invalid_grant', 'The application demands a stronger sign-in.'],
  scope_not_approved: ['invalid_scope', 'The scope goes beyond what the user has approved.'],
})
