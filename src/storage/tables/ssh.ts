import type { Generated } from 'kysely'

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
  counters: { name: string; value: string | bigint }
}
