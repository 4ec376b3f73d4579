/** Everything that people are notified of. What each type carries is in notifications/notify.ts. */
export const NOTIFICATION_TYPES = [
  'security.app_password_added',
  'security.app_password_removed',
  'security.email_changed',
  'security.passkey_added',
  'security.passkey_removed',
  'security.password_changed',
  'security.password_reset_sent',
  'security.session_ended',
  'security.signed_out',
  'security.new_login',
  'oauth.grant_added',
  'oauth.device_approved',
  'ssh.cert_issued',
  'service.restored',
  'user.disabled',
  'user.enabled',
  'lifecycle.failed',
  'lifecycle.planner_disabled',
  'mail.failed',
] as const
export type NotificationType = (typeof NOTIFICATION_TYPES)[number]
