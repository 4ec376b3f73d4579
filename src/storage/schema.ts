import type { ColumnType, Generated } from 'kysely'
import type { AuditAction, Outcome } from '../vocabulary/audit-actions.ts'
import type { Counted } from '../vocabulary/daily-counts.ts'
import type { LifecycleActionName, LifecycleStatus } from '../vocabulary/lifecycle.ts'
import type { NotificationType } from '../vocabulary/notification-types.ts'
import type { OpenWord } from '../vocabulary/open-word.ts'
import type { Permission } from '../vocabulary/permissions.ts'
import type { SignInMethod } from '../vocabulary/sign-in-methods.ts'

/** A word of a list that grows from version to version. Only known ones are written; others may be read. */
type Word<Known extends string> = ColumnType<OpenWord<Known>, Known, Known>

/** The tables as the migrations leave them. Times are epoch milliseconds, truth values 0 or 1, lists JSON. */
export interface Schema {
  users: {
    id: string
    email: string
    email_verified: number
    /** Registered by somebody who has never proved to receive mail at its address. */
    never_confirmed: Generated<number>
    password_hash: string | null
    display_name: string | null
    given_name: string | null
    family_name: string | null
    preferred_username: string
    avatar_version: string | null
    disabled_at: number | null
    created_at: number
    last_login_at: number | null
    /** Set when it was deleted: what is left of it is being removed. */
    deleted_at: number | null
  }
  /** Names that were given up: until then nobody but that user gets them. */
  retired_usernames: { username: string; user_id: string; reserved_until: number }
  roles: {
    id: string
    name: string
    description: string
    principals: string
    built_in: number
    created_at: number
  }
  role_permissions: { role_id: string; permission: Word<Permission> }
  user_roles: { user_id: string; role_id: string }

  sessions: {
    token_hash: string
    id: string
    user_id: string
    method: SignInMethod
    amr: string
    remembered: number
    ip_address: string
    country: string | null
    city: string | null
    region: string | null
    user_agent: string | null
    created_at: number
    last_used_at: number
    expires_at: number
  }
  known_browsers: { token_hash: string; user_id: string; created_at: number; expires_at: number }
  known_devices: { user_id: string; device_hash: string; first_seen_at: number }
  email_tokens: {
    token_hash: string
    user_id: string
    purpose: string
    email: string
    created_at: number
    expires_at: number
  }
  reset_requests: { id: string; email: string; created_at: number }
  rate_limits: { bucket: string; failures: number; expires_at: number }

  passkey_challenges: {
    id: string
    user_id: string | null
    challenge: string
    expires_at: number
    created_at: number
  }
  passkeys: {
    id: string
    user_id: string
    credential_id: string
    public_key: string
    counter: number
    transports: string
    name: string
    device_type: 'singleDevice' | 'multiDevice'
    backed_up: number
    aaguid: string
    created_at: number
    last_used_at: number | null
  }

  oauth_clients: {
    client_id: string
    client_secret_hash: string | null
    name: string
    operator: string | null
    client_type: 'confidential' | 'public'
    redirect_uris: string
    post_logout_redirect_uris: string
    scopes: string
    grant_types: string
    created_at: number
    /** Set when it was deleted: what is left of it is being removed. */
    deleted_at: number | null
  }
  oauth_grants: {
    user_id: string
    client_id: string
    scopes: string
    created_at: number
    updated_at: number
  }
  oauth_answered_requests: { id_hash: string; expires_at: number }
  /** Used by the version before alone; see the migration 0013. */
  oauth_pending_requests: {
    id_hash: string
    session_id: string | null
    parameters: string
    created_at: number
    expires_at: number
  }
  oauth_authorization_codes: {
    code_hash: string
    user_id: string
    client_id: string
    redirect_uri: string
    code_challenge: string
    scope: string
    nonce: string | null
    /** Claims asked for by name: those of userinfo, a comma, those of the ID token. */
    claims: string | null
    auth_time: number
    acr: string
    amr: string
    consumed_at: number | null
    revoked_at: number | null
    created_at: number
    /** Until it is used, the end of the code; from then on, the end of the last token that hangs on it. */
    expires_at: number
  }
  oauth_access_tokens: {
    token_hash: string
    /** The authorization it hangs on; none for client credentials. */
    code_hash: string | null
    client_id: string
    scope: string
    issued_at: number
    expires_at: number
  }
  oauth_refresh_tokens: {
    token_hash: string
    code_hash: string
    parent_hash: string | null
    scope: string
    used_at: number | null
    successor_used_at: number | null
    issued_at: number
    expires_at: number
  }

  ssh_keys: {
    id: string
    user_id: string
    name: string
    public_key: string
    fingerprint: string
    created_at: number
    last_used_at: number | null
  }
  ssh_certificates: {
    id: string
    /** 64 bits: written as text or bigint, read with `cast(serial as text)`. */
    serial: string | bigint
    user_id: string
    saved_key_id: string
    key_id: string
    principals: string
    fingerprint: string
    valid_after: number
    valid_before: number
    /** The latest `valid_before` of this and all earlier certificates of the user. */
    latest_expiry: number
    revoked_at: number | null
    revoke_reason: string | null
    created_at: number
  }
  /** Serials that a lost copy may have issued: revoked as a whole when an older copy is restored. */
  ssh_revoked_ranges: {
    first_serial: string | bigint
    last_serial: string | bigint
    revoked_at: number
    valid_before: number
  }
  /** Walks through all accounts that revoke certificates which name what their owners have lost. */
  ssh_certificate_reviews: {
    id: string
    reason: string
    /** The id of the last account that was looked at; empty at first. */
    reviewed_up_to: string
    revoked: Generated<number>
    created_at: number
  }
  counters: { name: string; value: string | bigint }

  lifecycle_actions: {
    id: string
    user_id: string
    action: LifecycleActionName
    status: LifecycleStatus
    execute_at: number
    requested_by: string | null
    attempts: Generated<number>
    claimed_at: number | null
    finished_at: number | null
    failure_reason: string | null
    created_at: number
  }
  notifications: {
    id: string
    user_id: string
    type: Word<NotificationType>
    data: string
    created_at: number
    read_at: number | null
  }
  audit_events: {
    id: string
    at: number
    action: Word<AuditAction>
    outcome: Outcome
    /** Of a sign-in, or of one that was refused. */
    method: SignInMethod | null
    actor_id: string | null
    actor_email: string | null
    target_type: string | null
    target_id: string | null
    ip_address: string | null
    user_agent: string | null
    request_id: string | null
    data: string
  }

  service_keys: {
    id: string
    purpose: 'signing' | 'ssh-ca'
    state: 'active' | 'next' | 'previous'
    public_key: string
    private_key_sealed: string
    created_at: number
    retired_at: number | null
  }
  outgoing_mail: {
    id: string
    recipient: string
    content_sealed: string
    attempts: Generated<number>
    next_attempt_at: number
    /** When `next_attempt_at` was set. */
    scheduled_at: number
    last_error: string | null
    /** Names the sending that is under way; null while it waits. */
    claim: string | null
    /** Of the link in it; null where it has none. */
    token_hash: string | null
    /** When that link ends. */
    expires_at: number | null
    created_at: number
  }
  daily_counts: { day: string; what: Counted; count: number }
  background_jobs: { name: string; next_run_at: number }
}
