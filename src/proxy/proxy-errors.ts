import { defineErrors } from '../errors.ts'

/** What a proxy or the browser behind it is told. Browsers get a page instead, whose texts are in `denial-page.ts`. */
export const proxyErrors = defineErrors({
  app_password_wrong: ['unauthenticated', 'The username or the app password is wrong.'],
  forwarded_address_invalid: ['address_refused', 'The address is not valid.'],
  forwarded_address_too_long: ['address_refused', 'The address is too long.'],
  forwarded_header_missing: ['address_refused', 'The proxy did not send the header {header}.'],
  forwarded_header_twice: ['address_refused', 'The header {header} is there twice.'],
  forwarded_method_invalid: ['address_refused', 'The method is not valid.'],
  forwarded_scheme_unknown: ['address_refused', 'The scheme is neither http nor https.'],
  forwarded_url_incomplete: ['address_refused', 'The X-Original-URL is not a whole URL.'],
  host_without_site: ['unknown_host', 'No site is registered for this host.'],
  proxy_not_trusted: ['proxy_not_trusted', 'Only a proxy of TRUST_PROXY may ask here.'],
  site_address_denied: ['forbidden', 'Nobody may open this address.'],
  site_address_unclear: ['address_refused', 'This address is too long, can be read in too many ways, or is not valid.'],
  site_email_unconfirmed: ['email_unconfirmed', 'Confirm your email address first, with the link that was sent to it.'],
  site_method_not_allowed: ['method_not_allowed', 'This method is not allowed here.'],
  site_needs_stronger_sign_in: [
    'not_allowed',
    'This application demands a passkey or a second step. Add one to your account first.',
  ],
  site_needs_https: ['https_required', 'Sites are protected over https only.'],
  site_not_allowed: ['not_allowed', 'You may not open this address.'],
  site_sign_in_failed: [
    'sign_in_failed',
    'This sign-in was not begun in this browser, or took too long. Open the page again.',
  ],
  site_sign_in_needed: ['unauthenticated', 'Please sign in.'],
  site_sign_in_not_begun: ['sign_in_failed', 'This sign-in was not begun at a site. Open the page again.'],
  site_sign_out_foreign: ['foreign_origin', 'This request came from a page that may not make it.'],
  site_turned_off: ['application_off', 'An administrator has turned this application off.'],
})

/** What the pages of the dashboard show. */
export const siteErrors = defineErrors({
  no_such_active_user: ['not_found', 'There is no such user who may sign in.'],
  no_such_site: ['not_found', 'There is no such site.'],
  site_address_elsewhere: ['invalid_input', 'This is not a host of this site.'],
  site_address_incomplete: ['invalid_input', 'Give a path that begins with a slash, or a whole URL.'],
  try_out_needs_users_read: ['forbidden', 'This needs the permission users:read.'],
})
