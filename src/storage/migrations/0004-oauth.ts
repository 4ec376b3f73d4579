/**
 * A row of oauth_authorization_codes is the root of everything its code leads to: the code itself and, once that is
 * used, the family of tokens it issued. Marking that one row revokes them all, so the token tables need no index but
 * their digest and their age, and no foreign key, which would need one: a token whose authorization or client is gone is
 * not valid. An authorization belongs to a grant and is deleted with it, and a grant is deleted with its user or client.
 */
export const oauth = `
create table oauth_clients (
  client_id text primary key,
  client_secret_hash text,
  name text not null,
  operator text,
  client_type text not null,
  redirect_uris text not null,
  post_logout_redirect_uris text not null default '[]',
  scopes text not null,
  grant_types text not null,
  created_at bigint not null
);
create index oauth_clients_by_age on oauth_clients (created_at, client_id);

create table oauth_grants (
  user_id text not null references users (id) on delete cascade,
  client_id text not null references oauth_clients (client_id) on delete cascade,
  scopes text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (user_id, client_id)
);
create index oauth_grants_by_client on oauth_grants (client_id);

create table oauth_pending_requests (
  id_hash text primary key,
  session_id text,
  parameters text not null,
  created_at bigint not null,
  expires_at bigint not null
);
create index oauth_pending_requests_by_expiry on oauth_pending_requests (expires_at);

create table oauth_authorization_codes (
  code_hash text primary key,
  user_id text not null,
  client_id text not null,
  redirect_uri text not null,
  code_challenge text not null,
  scope text not null,
  nonce text,
  claims text,
  auth_time bigint not null,
  acr text not null,
  amr text not null,
  consumed_at bigint,
  revoked_at bigint,
  created_at bigint not null,
  expires_at bigint not null,
  foreign key (user_id, client_id) references oauth_grants (user_id, client_id) on delete cascade
);
create index oauth_authorization_codes_by_grant on oauth_authorization_codes (user_id, client_id);
create index oauth_authorization_codes_by_expiry on oauth_authorization_codes (expires_at);

create table oauth_access_tokens (
  token_hash text primary key,
  code_hash text,
  client_id text not null,
  scope text not null,
  issued_at bigint not null,
  expires_at bigint not null
);
create index oauth_access_tokens_by_expiry on oauth_access_tokens (expires_at);

create table oauth_refresh_tokens (
  token_hash text primary key,
  code_hash text not null,
  parent_hash text,
  scope text not null,
  used_at bigint,
  successor_used_at bigint,
  issued_at bigint not null,
  expires_at bigint not null
);
create index oauth_refresh_tokens_by_expiry on oauth_refresh_tokens (expires_at);
`
