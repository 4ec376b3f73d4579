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
  }
}
