export const passkeys = `
create table passkey_challenges (
  id text primary key,
  user_id text references users (id) on delete cascade,
  challenge text not null,
  expires_at bigint not null,
  created_at bigint not null
);
create unique index passkey_challenges_by_user on passkey_challenges (user_id);
create index passkey_challenges_by_expiry on passkey_challenges (expires_at);

create table passkeys (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  credential_id text not null unique,
  public_key text not null,
  counter bigint not null,
  transports text not null,
  name text not null,
  device_type text not null,
  backed_up smallint not null,
  aaguid text not null,
  created_at bigint not null,
  last_used_at bigint
);
create index passkeys_by_user on passkeys (user_id);
`
