import type { Generated } from 'kysely'
import type { AttentionReason } from '../../vocabulary/host-attention.ts'
import type { DeliveryState } from '../../vocabulary/receivers.ts'

/** The certificate authority. */
export interface SshTables {
  ssh_keys: {
    id: string
    user_id: string
    name: string
    public_key: string
    fingerprint: string
    created_at: number
    last_used_at: number | null
    /** When it is deleted by itself; null for a key that stays. */
    ephemeral_until: number | null
  }
  /** Authorizations whose first certificate the person was notified of. */
  ssh_announced_sign_ins: { authorization_hash: string; expires_at: number }
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
    /** The rules that it was issued under, as JSON; null for one that was issued before there were any. */
    rules: string | null
    created_at: number
  }
  /** Serials that may have been issued after a restored backup was made: revoked as a whole when it is restored. */
  ssh_revoked_ranges: {
    first_serial: string | bigint
    last_serial: string | bigint
    revoked_at: number
    valid_before: number
  }
  /** Reviews of all accounts, which revoke certificates that name what their owners have lost. */
  ssh_certificate_reviews: {
    id: string
    reason: string
    /** The id of the last account that was reviewed; empty at first. */
    reviewed_up_to: string
    revoked: Generated<number>
    created_at: number
  }
  ssh_hosts: {
    id: string
    name: string
    hostnames: string
    /** 1: only the roles in `ssh_host_roles`; 0: everybody. */
    is_restricted: number
    enrollment_hash: string | null
    enrollment_expires_at: number | null
    enrolled_at: number | null
    last_seen_at: number | null
    krl_version: string | null
    sshd_version: string | null
    accounts: Generated<'existing' | 'managed'>
    /** Accounts that the host could not make, as JSON; null before it has said so. */
    conflicts: Generated<string | null>
    /** What root has allowed at the host; null before it has said so. */
    allows_accounts: Generated<number | null>
    allows_sudo: Generated<number | null>
    /** The tag of the list of accounts that the host has in force; null for a host that has never said. */
    principals_version: Generated<string | null>
    /** Of the sessions as the host reported them; null: it has not said who is there. */
    sessions_digest: Generated<string | null>
    /** The ends of its last report that were counted, as JSON. */
    last_ends: Generated<string | null>
    created_at: number
  }
  /** Who is on a host, as the host says. */
  ssh_host_sessions: {
    host_id: string
    /** Tells sessions of this host apart that are alike in everything else. */
    number: number
    serial: string | bigint
    account: string
    started_at: number
    source_address: string
    user_id: string
  }
  /** Hosts that could admit certificates of an account that was disabled, until they have the list with the revocation. */
  ssh_told_hosts: {
    action_id: string
    host_id: string
    name: string
    /** The version of the first revocation list that has the revocation. */
    krl_version: number
    /** When the last of these certificates expires. */
    valid_before: number
    state: DeliveryState
    finished_at: number | null
    /** Whose account; null where an earlier version has disabled it. */
    user_id: Generated<string | null>
    /** How many sessions of that person the host has ended since; null where nobody knows. */
    sessions_closed: Generated<number | null>
  }
  /** The numbers of accounts on hosts, each for one person for ever. */
  ssh_host_accounts: {
    uid: number
    user_id: string
    /** The last username that hosts were told; null once a deleted person is forgotten. */
    name: string | null
    /** The roles that admitted the person somewhere, separated by spaces. */
    role_ids: string
    /** When it was seen that the person is deleted. */
    left_at: number | null
  }
  ssh_host_names: { hostname: string; host_id: string }
  ssh_host_roles: { host_id: string; role_id: string }
  ssh_host_tokens: { token_hash: string; host_id: string; is_used: number; created_at: number }
  /** Tokens that have ended, so that their use is told from that of a made-up one. Of hosts that are deleted too. */
  ssh_former_host_tokens: {
    token_hash: string
    host_id: string
    /**
     * superseded: a later token was used. revoked: an administrator ended it. reading: the host was enrolled again, and has not used its
     * new token yet. deleted: with its host.
     */
    ending: 'superseded' | 'revoked' | 'reading' | 'deleted'
    ended_at: number
  }
  /** Hosts whose tokens get empty lists, so that they close. */
  ssh_deleted_hosts: { host_id: string; deleted_at: number }
  /** What administrators should look at. */
  ssh_host_attention: { host_id: string; reason: AttentionReason; since: number; last_at: number }
  ssh_host_keys: { fingerprint: string; host_id: string; public_key: string }
  ssh_host_certificates: {
    serial: string | bigint
    host_id: string
    key_id: string
    hostnames: string
    fingerprint: string
    valid_after: number
    valid_before: number
    revoked_at: number | null
    created_at: number
  }
  /** Each rotation of a certificate authority, as those who trust its keys follow it. */
  ssh_ca_rotations: { kind: 'user' | 'host'; number: number; line: string; created_at: number }
  counters: { name: string; value: string | bigint }
}
