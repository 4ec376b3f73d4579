import type { Generated } from 'kysely'
import type { LinkPurpose } from '../../vocabulary/link-purposes.ts'
import type { SignInMethod } from '../../vocabulary/sign-in-methods.ts'

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
}
