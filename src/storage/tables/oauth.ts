/** The OAuth provider. */
export interface OAuthTables {
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
    /** Set when it was deleted. Until its other rows have been removed, this row stays. */
    deleted_at: number | null
    /** Set while it is turned off, which only a built-in one can be. */
    disabled_at: number | null
  }
  oauth_grants: {
    user_id: string
    client_id: string
    scopes: string
    created_at: number
    updated_at: number
  }
  /** Requests of devices (RFC 8628) that a person decides on. */
  oauth_device_codes: {
    device_code_hash: string
    user_code_mac: string
    client_id: string
    scope: string
    code_challenge: string | null
    device_name: string | null
    ip_address: string
    country: string | null
    city: string | null
    region: string | null
    user_agent: string | null
    /** How long the device has to wait between two polls. */
    interval_ms: number
    last_polled_at: number | null
    /** Null until the person has decided. */
    decision: 'approved' | 'denied' | null
    created_at: number
    expires_at: number
  }
  oauth_answered_requests: { id_hash: string; expires_at: number }
  /** Used by the previous version only; see the migration 0013. */
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
    /** Claims requested by name: those of userinfo, a comma, those of the ID token. */
    claims: string | null
    auth_time: number
    acr: string
    amr: string
    consumed_at: number | null
    revoked_at: number | null
    created_at: number
    /** Before its use, when the code expires; after that, when its last token expires. */
    expires_at: number
  }
  oauth_access_tokens: {
    token_hash: string
    /** The authorization that it belongs to; null for client credentials. */
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
}
