import type { Generated } from 'kysely'
import type { Acr } from '../../vocabulary/sign-in-methods.ts'

/** The OAuth provider. */
export interface OAuthTables {
  oauth_clients: {
    client_id: string
    client_secret_hash: string | null
    name: string
    operator: string | null
    client_type: 'confidential' | 'public' | 'proxied'
    redirect_uris: string
    post_logout_redirect_uris: string
    scopes: string
    grant_types: string
    /** 1 when only holders of the roles in `oauth_client_roles` may use it. */
    restricted: Generated<number>
    id_token_claims: Generated<'minimal' | 'full'>
    id_token_alg: Generated<'ES256' | 'RS256'>
    /** Claims beyond those of scopes, as JSON. */
    claims: Generated<string>
    /** 1 when a claim of this client is made of roles or attributes, so that queries read them. */
    reads_roles: Generated<number>
    pkce: Generated<'required' | 'optional'>
    /** When a code was last issued without PKCE, and with it, while PKCE is optional. */
    pkce_missing_at: number | null
    pkce_sent_at: number | null
    consent: Generated<'ask' | 'skip'>
    launch_url: string | null
    logo_version: string | null
    /** Of a site behind a proxy, as JSON: its hosts, its rules, and the names of the headers that name the visitor. */
    hosts: string | null
    rules: string | null
    identity_headers: string | null
    /** 1 when app passwords are accepted there. */
    basic: Generated<number>
    created_at: number
    /** Set when it was deleted. Until its other rows have been removed, this row stays. */
    deleted_at: number | null
    /** Set while it is turned off. */
    disabled_at: number | null
    /** How many times it was turned off. What it was issued before carries an earlier number and is revoked. */
    generation: Generated<number>
    /** 1 when the answers that it gets at introspection have the claims of the token's scopes. */
    introspection_claims: Generated<number>
    backchannel_logout_uri: Generated<string | null>
    backchannel_logout_session_required: Generated<number>
    /** 1 when its ID tokens say when the session ends. */
    session_expiry: Generated<number>
    /** Whether its refresh tokens outlive the session that they came from. */
    refresh_tokens: Generated<'offline' | 'session'>
    /** Whom its stream of shared signals is about. */
    signal_subjects: Generated<'own' | 'all'>
    signal_subject_format: Generated<'iss_sub' | 'email'>
    /** What it demands of a sign-in, and how long its tokens live. Seconds; null for the default. */
    required_acr: Generated<Acr | null>
    max_auth_age: Generated<number | null>
    access_token_lifetime: Generated<number | null>
    refresh_token_lifetime: Generated<number | null>
    refresh_max_age: Generated<number | null>
    /** Of a site: how long a visit lasts before the browser has to come by here again. */
    session_max_age: Generated<number | null>
    /** 1 while people are still to be told that it was turned off or deleted. */
    telling: Generated<number>
  }
  /** The roles whose holders may use a restricted client. */
  oauth_client_roles: { client_id: string; role_id: string; position: number }
  /** Clients whose users may have lost access, and when the tokens of those are revoked. */
  oauth_access_reviews: { client_id: string; due_at: number }
  /** Refused requests; equal ones are one row. */
  oauth_refusals: { client_id: string; id: string; content: string; count: number; at: number }
  /** The same for a client_id that no client has. */
  oauth_unknown_refusals: { client_id: string; id: string; content: string; count: number; at: number }
  oauth_grants: {
    user_id: string
    client_id: string
    scopes: string
    created_at: number
    updated_at: number
    /** 1 when the application may hold something of this person since it was last told that all access ended. */
    untold: Generated<number>
  }
  /** Sessions in which an application that is told of their end got an ID token, kept for some time beyond their end. */
  oauth_client_sessions: {
    session_id: string
    client_id: string
    user_id: string
    created_at: number
    kept_until: number
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
    client_generation: Generated<number>
    /** 1 when that sign-in was proved by a passkey that verified its user. */
    verified: Generated<number>
    /** The session in which it was approved; null for a device. */
    session_id: Generated<string | null>
    created_at: number
    /** Before its use, when the code expires; after that, when its last token expires. */
    expires_at: number
  }
  oauth_access_tokens: {
    token_hash: string
    /** The authorization that it belongs to; null for client credentials. */
    code_hash: string | null
    client_id: string
    client_generation: Generated<number>
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

/** Applications behind a proxy. */
export interface ProxyTables {
  /** The hosts of all sites. */
  proxy_hosts: { host: string; client_id: string }
  /** What a host admitted that no longer belongs to a site, or to an SSH host. */
  former_hosts: { kind: 'site' | 'ssh'; host: string; admission: string; kept_until: number }
  /** The roles of a site's rules that exist. */
  proxy_rule_roles: { client_id: string; role_id: string }
  /** What a browser brings from this service to a site, once. */
  proxy_codes: {
    code_hash: string
    host: string
    session_id: string
    state: string
    /** Path and query that the visitor wanted. */
    return_to: string
    expires_at: number
  }
  /** The cookies of visitors at a host. */
  proxy_cookies: { token_hash: string; host: string; session_id: string; created_at: number }
  /** Passwords of programs, each for one person at one site. */
  app_passwords: {
    id: string
    user_id: string
    client_id: string
    password_hash: string
    name: string
    created_at: number
    last_used_at: number | null
    expires_at: number | null
    /** How strong the session was that made it, on the scale of what roles demand. */
    strength: Generated<number>
  }
}
