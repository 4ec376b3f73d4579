/** What people see before they have signed in: an application of its own, which loads little. */
export const PUBLIC_PAGES = [
  '/setup',
  '/login',
  '/logout',
  '/step-up',
  '/register',
  '/forgot-password',
  '/reset-password',
  '/verify-email',
  '/invitation',
  '/revert-email',
  '/not-me',
  '/consent',
  '/no-access',
  '/device',
]
/** The paths of the router of the signed-in part. Any other path that is not served is 404. */
export const SIGNED_IN_PAGES = ['/', '/account', '/account/*', '/ssh', '/notifications', '/admin', '/admin/*']
