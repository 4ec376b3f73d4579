/**
 * Tokens hang on their family and are revoked by marking that one row, so the token tables need no index but their
 * digest and their age, and no foreign key that would want one: a token whose family or client is gone is dead.
 */
export const oauth = `
create table oauth_clients (
  client_id text primary key,
  client_secret_hash text,
  name text not null,
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
  id text primary key,
  session_id text,
  parameters text not null,
  needs text not null,
  created_at bigint not null,
  expires_at bigint not null
);
create index oauth_pending_requests_by_expiry on oauth_pending_requests (expires_at);

create table oauth_token_families (
  id text primary key,
  client_id text not null references oauth_clients (client_id) on delete cascade,
  user_id text references users (id) on delete cascade,
  auth_time bigint,
  acr text,
  amr text,
  revoked_at bigint,
  created_at bigint not null,
  expires_at bigint not null
);
create index oauth_token_families_by_user on oauth_token_families (user_id, client_id);
create index oauth_token_families_by_client on oauth_token_families (client_id);
create index oauth_token_families_by_expiry on oauth_token_families (expires_at);

create table oauth_authorization_codes (
  code_hash text primary key,
  family_id text not null references oauth_token_families (id) on delete cascade,
  redirect_uri text not null,
  code_challenge text not null,
  scope text not null,
  nonce text,
  consumed_at bigint,
  created_at bigint not null,
  expires_at bigint not null
);
create index oauth_authorization_codes_by_family on oauth_authorization_codes (family_id);
create index oauth_authorization_codes_by_expiry on oauth_authorization_codes (expires_at);

create table oauth_access_tokens (
  token_hash text primary key,
  family_id text,
  client_id text not null,
  scope text not null,
  revoked_at bigint,
  issued_at bigint not null,
  expires_at bigint not null
);
create index oauth_access_tokens_by_expiry on oauth_access_tokens (expires_at);

create table oauth_refresh_tokens (
  token_hash text primary key,
  family_id text not null,
  parent_hash text,
  scope text not null,
  used_at bigint,
  created_at bigint not null,
  expires_at bigint not null
);
create index oauth_refresh_tokens_by_expiry on oauth_refresh_tokens (expires_at);
`
