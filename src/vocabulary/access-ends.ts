import type { AuditAction } from './audit-actions.ts'

/** Events of shared signals (OpenID CAEP and RISC) that a way of ending access causes. */
export const ACCESS_SIGNALS = ['session-revoked', 'credential-change', 'account-disabled', 'account-purged'] as const
export type AccessSignal = (typeof ACCESS_SIGNALS)[number]

interface WayAccessEnds {
  /** In the documents. */
  title: string
  /** What webhooks get. */
  audit: AuditAction
  /**
   * What ends: one session or several, each named in its logout token; all that a person has; what a person has at one
   * application; what everybody has at one application. All but sessions are told without `sid`.
   */
  reach: 'session' | 'person' | 'person_at_client' | 'client'
  /** What streams of shared signals get. */
  signals: readonly AccessSignal[]
}

const way = <Reach extends WayAccessEnds['reach']>(
  reach: Reach,
  audit: AuditAction,
  title: string,
  ...signals: AccessSignal[]
): WayAccessEnds & { reach: Reach } => ({ title, audit, reach, signals })

/** Every way in which access ends. A session that expires ends in silence. */
export const ACCESS_ENDS = {
  signed_out: way('session', 'session.ended', 'Signing out', 'session-revoked'),
  signed_out_by_application: way(
    'session',
    'session.ended',
    'Signing out at an application that asks for it (RP-initiated logout)',
    'session-revoked',
  ),
  replaced_by_sign_in: way(
    'session',
    'session.ended',
    'Signing in as somebody else in the same browser',
    'session-revoked',
  ),
  session_ended_by_owner: way('session', 'session.revoked', 'Ending one of one’s own sessions', 'session-revoked'),
  session_ended_by_administrator: way(
    'session',
    'session.revoked',
    'An administrator ends one session',
    'session-revoked',
  ),
  other_sessions_ended: way(
    'session',
    'session.others_revoked',
    'Ending all of one’s other sessions',
    'session-revoked',
  ),
  password_changed: way(
    'person',
    'user.password_changed',
    'Changing the password',
    'session-revoked',
    'credential-change',
  ),
  password_reset: way(
    'person',
    'user.password_reset',
    'Resetting the password',
    'session-revoked',
    'credential-change',
  ),
  address_restored: way(
    'person',
    'user.email_reverted',
    'Taking back an email address that was changed',
    'session-revoked',
    'credential-change',
  ),
  not_me: way(
    'person',
    'user.not_me',
    'Saying “this was not me”; a credential changes where that clears the password',
    'session-revoked',
    'credential-change',
  ),
  signed_out_by_administrator: way(
    'person',
    'user.signed_out',
    'An administrator signs a person out',
    'session-revoked',
  ),
  disabled: way(
    'person',
    'user.disabled',
    'An administrator disables an account',
    'session-revoked',
    'account-disabled',
  ),
  disabled_as_planned: way(
    'person',
    'user.disabled',
    'An account is disabled at a planned time',
    'session-revoked',
    'account-disabled',
  ),
  deleted: way('person', 'user.deleted', 'An administrator deletes an account', 'session-revoked', 'account-purged'),
  deleted_by_owner: way('person', 'user.deleted', 'Deleting one’s own account', 'session-revoked', 'account-purged'),
  grant_revoked: way('person_at_client', 'oauth_grant.revoked', 'Taking back what an application was allowed'),
  role_lost: way('person_at_client', 'role.unassigned', 'Losing the role that an application demands'),
  application_narrowed: way(
    'person_at_client',
    'oauth_client.updated',
    'An application admits fewer roles; those who lost it are told ten minutes later',
  ),
  role_deleted: way(
    'person_at_client',
    'role.deleted',
    'A role that an application demands is deleted; those who lost it are told ten minutes later',
  ),
  refresh_token_reused: way('person_at_client', 'oauth_refresh_token.reused', 'A refresh token is used twice'),
  code_reused: way('person_at_client', 'oauth_code.reused', 'An authorization code is used twice'),
  client_disabled: way('client', 'oauth_client.updated', 'An application is turned off'),
  client_deleted: way('client', 'oauth_client.deleted', 'An application is deleted'),
} as const satisfies Record<string, WayAccessEnds>

export type AccessEnd = keyof typeof ACCESS_ENDS
/** The ways with a reach. */
export type AccessEndOf<Reach extends WayAccessEnds['reach']> = {
  [Way in AccessEnd]: (typeof ACCESS_ENDS)[Way]['reach'] extends Reach ? Way : never
}[AccessEnd]
