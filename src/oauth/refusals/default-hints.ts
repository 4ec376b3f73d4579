export const TURN_ON = 'Turn the application on again if people should use it.'

/** What to look at first, for refusals without a diagnosis of their own. */
export const DEFAULT_HINTS: Record<string, string | undefined> = {
  access_denied: 'The person decided against it. Nothing has to be changed.',
  consent_required: 'The application asked with prompt=none before the person had consented; let it ask without.',
  invalid_client: 'Compare client_id and secret in the settings of the application with the ones here.',
  invalid_grant: 'The code or refresh token was used, expired or revoked; the person has to sign in again.',
  invalid_request: 'A parameter is missing or wrong; the description says which.',
  invalid_scope: 'Allow the scope here, or take it out of the settings of the application.',
  login_required: 'The application asked with prompt=none, and nobody suitable was signed in; let it ask without.',
  temporarily_unavailable: 'Too many wrong secrets came from one address; correct the secret and wait a moment.',
  unauthorized_client: 'Allow the grant type here, or choose another one in the application.',
  unsupported_grant_type: 'The application uses a grant type that this server does not have.',
  unsupported_response_type: 'Set the response type of the application to code.',
}
