import type { Generated } from 'kysely'
import type { Counted } from '../../vocabulary/daily-counts.ts'

/** What the service keeps for itself. */
export interface ServiceTables {
  service_keys: {
    id: string
    purpose: 'signing' | 'signing-rsa' | 'ssh-ca' | 'ssh-host-ca'
    state: 'active' | 'next' | 'previous'
    public_key: string
    private_key_sealed: string
    created_at: number
    /** When a key of the SSH CA that waits begins to sign. */
    sign_at: Generated<number | null>
    /** When an earlier key of the SSH CA is withdrawn. */
    retire_at: Generated<number | null>
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
    /** Identifies the sending that is under way; null while the mail waits. */
    claim: string | null
    /** The digest of the token in its link; null without a link. */
    token_hash: string | null
    /** When that link expires. */
    expires_at: number | null
    created_at: number
  }
  /** One row: what tells this installation from others. A restored backup keeps it. */
  installation: { only_row: number; id: string }
  /** Settings that administrators have changed. The value is JSON. */
  settings: { name: string; value: string }
  daily_counts: { day: string; what: Counted; count: number }
  background_jobs: { name: string; next_run_at: number }
  /** Jobs that have failed, and when they did so last. */
  failed_jobs: { name: string; failed_at: number }
}
