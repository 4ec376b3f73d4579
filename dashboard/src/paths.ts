/** Every path of the dashboard. The server knows them too: `src/platform/http/dashboard-pages.ts`. */
export const paths = {
  home: '/',
  setup: '/setup',
  login: '/login',
  register: '/register',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password',
  verifyEmail: '/verify-email',
  invitation: '/invitation',
  /** In mails of earlier versions. */
  revertEmail: '/revert-email',
  notMe: '/not-me',
  consent: '/consent',
  noAccess: '/no-access',
  device: '/device',
  logout: '/logout',
  stepUp: '/step-up',
  account: '/account',
  security: '/account/security',
  password: '/account/password',
  passkeys: '/account/passkeys',
  sessions: '/account/sessions',
  applications: '/account/applications',
  appPasswords: '/account/app-passwords',
  notifications: '/notifications',
  ssh: '/ssh',
  admin: '/admin',
  adminUsers: '/admin/users',
  adminUser: '/admin/users/$userId',
  adminRoles: '/admin/roles',
  adminClients: '/admin/applications',
  adminNewClient: '/admin/applications/new',
  adminNewSite: '/admin/applications/new-site',
  adminClient: '/admin/applications/$clientId',
  adminTrial: '/admin/applications/$clientId/trial',
  adminHosts: '/admin/hosts',
  adminHost: '/admin/hosts/$hostId',
  adminCertificates: '/admin/certificates',
  adminAudit: '/admin/audit',
  adminWebhooks: '/admin/webhooks',
  adminWebhook: '/admin/webhooks/$webhookId',
  adminSettings: '/admin/settings',
} as const

/** Endpoints of the server that the browser opens itself, without the API client. */
export const endpoints = {
  authorize: '/oauth/authorize',
  siteSignIn: '/api/authz/sign-in',
  endSession: '/oauth/logout',
  avatar: '/api/account/profile/avatar',
  clientLogo: (clientId: string) => `/oauth/clients/${clientId}/logo`,
  notificationStream: '/api/notifications/stream',
  audit: '/api/admin/audit',
  users: '/api/admin/users',
  settingsLogo: '/api/admin/settings/logo',
  sshCa: '/ssh/ca.pub',
  sshKrl: '/ssh/krl',
  sshHostSetup: '/ssh/host-setup.sh',
  sshClientSetup: '/ssh/client-setup.sh',
} as const

/** The page that lets a device in, with the code of the device. */
export const deviceWithCode = (code: string): string => `${paths.device}?${new URLSearchParams({ user_code: code })}`

/** The address of the page on which somebody who is signed in proves more, and then goes on to the given address. */
export const stepUpWithReturn = (returnTo: string): string =>
  `${paths.stepUp}?${new URLSearchParams({ return_to: returnTo })}`

/** The address of the sign-in page that leads back to the given address afterwards. */
export const loginWithReturn = (returnTo: string): string =>
  returnTo === paths.home ? paths.login : `${paths.login}?${new URLSearchParams({ return_to: returnTo })}`
