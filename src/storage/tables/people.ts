import type { Generated } from 'kysely'
import type { AuditAction, Outcome } from '../../vocabulary/audit-actions.ts'
import type { LifecycleActionName, LifecycleStatus } from '../../vocabulary/lifecycle.ts'
import type { LinkPurpose } from '../../vocabulary/link-purposes.ts'
import type { Locale } from '../../vocabulary/locales.ts'
import type { NotificationType } from '../../vocabulary/notification-types.ts'
import type { Permission } from '../../vocabulary/permissions.ts'
import type { RoleDemand } from '../../vocabulary/role-demands.ts'
import type { SignInMethod } from '../../vocabulary/sign-in-methods.ts'
import type { WordColumn } from '../columns.ts'

/** Accounts, roles and who has them. */
export interface UserTables {
  users: {
    id: string
    email: string
    email_verified: number
    /** 1 for an account that registered itself and whose email address was never confirmed. */
    never_confirmed: Generated<number>
    password_hash: string | null
    /** Grows when a password is set or removed, and not when the same one is hashed again. */
    password_number: Generated<number>
    /** The secret of the authenticator app, and since when it counts: null until a first code was right. */
    totp_sealed: Generated<string | null>
    totp_since: Generated<number | null>
    /** The address that was confirmed when an administrator took that back. It says nothing of a later address. */
    confirmed_email: Generated<string | null>
    /** 1 from when the address was taken back until the owner has decided, with the new password, what of the rest to keep. */
    review_access: Generated<number>
    display_name: string | null
    given_name: string | null
    family_name: string | null
    preferred_username: string
    /** When its user last changed the username, and when the time before. */
    username_changed_at: Generated<number | null>
    username_changed_before: Generated<number | null>
    avatar_version: string | null
    disabled_at: number | null
    created_at: number
    last_login_at: number | null
    /** Values for claims, as JSON. */
    attributes: string | null
    /** Null until it is known from the user's browser. */
    locale: Generated<Locale | null>
    /** Set when it was deleted. Until its other rows have been removed, this row stays. */
    deleted_at: number | null
  }
  /** Usernames that were given up. They are reserved for that user until then. */
  retired_usernames: { username: string; user_id: string; reserved_until: number }
  roles: {
    id: string
    name: string
    description: string
    principals: string
    /** Rules for SSH certificates, as JSON; null without any. */
    ssh: Generated<string | null>
    /** What it gives over SSH beside principals, as JSON; null for nothing. */
    ssh_gifts: Generated<string | null>
    built_in: number
    created_at: number
    attributes: string | null
    /** What it demands of the sign-in of who holds it, and since when. */
    requires: Generated<RoleDemand>
    requires_since: Generated<number>
    /** What it will demand, and from when; null where nothing is planned. */
    requires_next: Generated<RoleDemand | null>
    requires_from: Generated<number | null>
  }
  role_permissions: { role_id: string; permission: WordColumn<Permission> }
  /** `assigned_at` is 0 where that was not noted. */
  user_roles: { user_id: string; role_id: string; assigned_at: Generated<number> }
}

/** Sessions, passkeys, and what signing in leaves behind. */
export interface SignInTables {
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
    proved_at: number | null
    /** 1 while the browser may still make a passkey by itself after this sign-in. */
    offers_passkey: Generated<number>
    /** 1 when it was proved by a passkey that verified its user. */
    verified: Generated<number>
    /** Until when what a role demands may be set up in it, by a link. */
    set_up_until: Generated<number | null>
    /** 1 where that is also for what was lost. */
    set_up_replaces: Generated<number>
  }
  known_browsers: { token_hash: string; user_id: string; created_at: number; expires_at: number }
  known_devices: { user_id: string; device_hash: string; first_seen_at: number }
  email_tokens: {
    token_hash: string
    user_id: string
    purpose: LinkPurpose
    email: string
    /** Of an invitation: who invites. */
    issued_by: Generated<string | null>
    /** Of `email_change` the new address, of `email_revert` the one to restore, which is reserved until then. */
    other_email: Generated<string | null>
    /**
     * Of `email_change` and `email_revert`: what was added to the account since then may be by whoever asked for the change. Null
     * for links of an earlier version.
     */
    access_since: Generated<number | null>
    /** Of `email_revert`: the changes of an account's address in their order. Null for links of an earlier version. */
    change_number: Generated<number | null>
    /** Of `not_me`: what it undoes, as JSON. */
    about: Generated<string | null>
    created_at: number
    expires_at: number
  }
  reset_requests: { id: string; email: string; created_at: number }
  rate_limits: { bucket: string; failures: number; expires_at: number }

  totp_used_steps: { user_id: string; step: number }
  recovery_codes: { user_id: string; code_hash: string }
  waiting_sign_ins: {
    id: string
    user_id: string
    browser_hash: string
    password_number: number
    remembered: number
    tries: number
    created_at: number
    expires_at: number
  }
  passkey_challenges: {
    id: string
    user_id: string | null
    challenge: string
    expires_at: number
    created_at: number
    session_id: string | null
    /** 1 for a passkey that the browser makes by itself. */
    conditional: Generated<number>
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
    /** 1 when it has ever verified its user, 0 when it has not; null where that was not noted. */
    verifies: Generated<number | null>
  }
}

/** Planned actions, notifications and the audit trail. */
export interface LifecycleTables {
  lifecycle_actions: {
    id: string
    user_id: string
    action: LifecycleActionName
    status: LifecycleStatus
    execute_at: number
    requested_by: string | null
    requested_by_email: Generated<string | null>
    /** For administrators, never for the person whom the action is about. */
    reason: Generated<string | null>
    /** What it ended, as JSON; null until it is carried out. */
    receipt: Generated<string | null>
    /** 1 when certificates that are issued while it is pending are valid for as long as requested. */
    discreet: Generated<number>
    attempts: Generated<number>
    claimed_at: number | null
    finished_at: number | null
    failure_reason: string | null
    /** When everybody who relied on the account had been told. */
    completed_at: Generated<number | null>
    /** Who was told, as JSON; written when that is complete. */
    told: Generated<string | null>
    created_at: number
  }
  /**
   * Accounts that were disabled, while somebody is still to be told. It does not belong to the rows of the account, which may be
   * deleted meanwhile.
   */
  open_receipts: {
    action_id: string
    user_id: string
    email: string
    requested_by: string | null
    requested_by_email: string | null
    requested_at: number
    executed_at: number
    /** How much was ended, as JSON. */
    ended: string
    /** Who is told through the outbox, with their names at that time, as JSON. */
    receivers: string
  }
  /** Each chain of proofs begins with the installation or with a restore. */
  proof_chains: { chain: number; restored_from: string | null; began_at: number }
  leaving_proofs: {
    chain: number
    number: number
    action_id: string
    user_id: string
    proof: string
    /** SHA-256 of the proof in hexadecimal digits. */
    digest: string
    /** From the disable until nothing was left; null where somebody refused to be told, or could not be. */
    duration_ms: number | null
    created_at: number
  }
  notifications: {
    id: string
    user_id: string
    type: WordColumn<NotificationType>
    data: string
    created_at: number
    read_at: number | null
    /** When its person said "this was not me". */
    undone_at: Generated<number | null>
    /** Of `security.*`: the password that the account had then, as in `users.password_number`. */
    password_number: Generated<number>
  }
  audit_events: {
    id: string
    at: number
    action: WordColumn<AuditAction>
    outcome: Outcome
    /** Of a sign-in, also of a refused one. */
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
}
