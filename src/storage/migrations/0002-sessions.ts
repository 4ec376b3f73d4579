/** Signing in with a password, and what it leaves behind. */
export const sessions = `
create table sessions (
  token_hash text primary key,
  id text not null unique,
  user_id text not null references users (id) on delete cascade,
  method text not null,
  amr text not null,
  remembered smallint not null,
  ip_address text not null,
  country text,
  city text,
  region text,
  user_agent text,
  created_at bigint not null,
  last_used_at bigint not null,
  expires_at bigint not null
);
create index sessions_by_user on sessions (user_id);
create index sessions_by_expiry on sessions (expires_at);

create table known_devices (
  user_id text not null references users (id) on delete cascade,
  device_hash text not null,
  first_seen_at bigint not null,
  primary key (user_id, device_hash)
);

create table email_tokens (
  token_hash text primary key,
  user_id text not null references users (id) on delete cascade,
  purpose text not null,
  email text not null,
  created_at bigint not null,
  expires_at bigint not null
);
create index email_tokens_by_user on email_tokens (user_id);
create index email_tokens_by_expiry on email_tokens (expires_at);

create table reset_requests (
  id text primary key,
  email text not null,
  created_at bigint not null
);

create table rate_limits (
  bucket text primary key,
  failures bigint not null,
  expires_at bigint not null
);
create index rate_limits_by_expiry on rate_limits (expires_at);
`
