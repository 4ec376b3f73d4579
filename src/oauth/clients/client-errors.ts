import { defineErrors } from '../../errors.ts'

/** What is wrong with an application, with its settings, or with who uses it. */
export const clientErrors = defineErrors({
  address_has_fragment: ['invalid_input', 'This address must not have a fragment.'],
  address_has_user_information: ['invalid_input', 'This address must not have user information.'],
  address_has_wildcard: ['invalid_input', 'This address must not have a wildcard.'],
  address_not_absolute: ['invalid_input', 'This address must be an absolute URL.'],
  address_not_ascii: ['invalid_input', 'This address must be a URL of plain ASCII characters.'],
  address_not_web: ['invalid_input', 'This address must use https, or http where that is allowed.'],
  address_scheme_not_allowed: [
    'invalid_input',
    'This address must use https, http on loopback, or a private-use scheme with a dot.',
  ],
  address_uses_http: [
    'invalid_input',
    'This address may use http on loopback and on the hosts of HTTP_REDIRECT_HOSTS only.',
  ],
  application_built_in: ['conflict', 'This application is built in: it can be turned off, but not changed or deleted.'],
  application_not_for_you: ['not_allowed', 'You may not use this application.'],
  application_turned_off: ['unauthorized_client', 'An administrator has turned this application off.'],
  credentials_of_public_client: ['invalid_input', 'A public client has no credentials of its own.'],
  no_such_allowed_role: ['invalid_input', 'There is no such role.'],
  no_such_application: ['not_found', 'There is no such application.'],
  not_of_a_site: ['invalid_input', 'A site behind a proxy is no OAuth client and does not have this.'],
  only_of_a_site: ['invalid_input', 'Only a site behind a proxy has this.'],
  pkce_of_public_client: ['invalid_input', 'A public client always needs PKCE.'],
  pkce_optional_not_allowed: [
    'conflict',
    'PKCE can be made optional only while ALLOW_MISSING_PKCE is on. Ask who runs this service.',
  ],
  redirect_uri_needed: ['invalid_input', 'A client that uses authorization codes needs a redirect URL.'],
  refresh_tokens_need_codes: [
    'invalid_input',
    'Refresh tokens are issued with authorization codes or device codes only.',
  ],
  scope_of_built_in_client: ['reserved_scope', 'The scope {scope} is for the built-in client {client} only.'],
  scope_of_confidential_client: ['reserved_scope', 'The scope {scope} is for confidential clients only.'],
  scopes_needed: ['invalid_input', '"scopes" is required.'],
  site_needs_host: ['invalid_input', 'A site needs a host.'],
  skipped_consent_needs_https: [
    'invalid_input',
    'Consent can be skipped for a public client only if all its redirect URLs use https.',
  ],
})
