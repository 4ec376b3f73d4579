/**
 * Applications behind a proxy. A site is a row of oauth_clients with the type `proxied`, so that names, roles and logos are the
 * same as for other applications; an earlier version finds no redirect URL and no secret there and lets nobody use it.
 *
 * A host belongs to one site. Cookies and codes hang on it and on the session of their person, and go with either. In
 * proxy_rule_roles are those roles of a site's rules that still exist: a role that is deleted leaves every rule with it.
 */
export const proxiedSites = `
alter table oauth_clients add column hosts text;
alter table oauth_clients add column rules text;
alter table oauth_clients add column identity_headers text;
alter table oauth_clients add column basic smallint not null default 0;

create table proxy_hosts (
  host text not null unique,
  client_id text not null references oauth_clients (client_id) on delete cascade
);
create index proxy_hosts_by_client on proxy_hosts (client_id);

create table proxy_rule_roles (
  client_id text not null references oauth_clients (client_id) on delete cascade,
  role_id text not null references roles (id) on delete cascade,
  primary key (client_id, role_id)
);
create index proxy_rule_roles_by_role on proxy_rule_roles (role_id);

create table proxy_codes (
  code_hash text primary key,
  host text not null references proxy_hosts (host) on delete cascade,
  session_id text not null references sessions (id) on delete cascade,
  state text not null,
  return_to text not null,
  expires_at bigint not null
);
create index proxy_codes_by_host on proxy_codes (host);
create index proxy_codes_by_session on proxy_codes (session_id);
create index proxy_codes_by_expiry on proxy_codes (expires_at);

create table proxy_cookies (
  token_hash text primary key,
  host text not null references proxy_hosts (host) on delete cascade,
  session_id text not null references sessions (id) on delete cascade,
  created_at bigint not null
);
create index proxy_cookies_by_host on proxy_cookies (host);
create index proxy_cookies_by_session on proxy_cookies (session_id, host);

create table app_passwords (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  client_id text not null references oauth_clients (client_id) on delete cascade,
  password_hash text not null unique,
  name text not null,
  created_at bigint not null,
  last_used_at bigint,
  expires_at bigint
);
create index app_passwords_by_user on app_passwords (user_id, created_at);
create index app_passwords_by_client on app_passwords (client_id);
create index app_passwords_by_expiry on app_passwords (expires_at) where expires_at is not null
`
