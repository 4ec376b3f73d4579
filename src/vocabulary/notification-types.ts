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
  'security.ssh_key_added',
  'security.totp_added',
  'security.totp_removed',
  'security.recovery_code_used',
  'oauth.grant_added',
  'oauth.device_approved',
  'ssh.cert_issued',
  'ssh.host_attention',
  'service.restored',
  'user.disabled',
  'user.enabled',
  'user.not_me',
  'lifecycle.failed',
  'lifecycle.planner_disabled',
  'mail.failed',
  'receiver.failing',
] as const
export type NotificationType = (typeof NOTIFICATION_TYPES)[number]

/** What happened to the security of an account. Its owner is also told by mail, and may answer that somebody else did it. */
export type SecurityEventType = Extract<NotificationType, `security.${string}`>

export const isSecurityEvent = (type: string): type is SecurityEventType =>
  type.startsWith('security.') && NOTIFICATION_TYPES.some((known) => known === type)
