/**
 * Certificates name no user or key by reference: the log outlives both. `latest_expiry` is the latest time up to which
 * this certificate or any earlier one of its user is valid. It only grows, so a search for valid ones starts at the
 * newest and stops at the first that has it in the past. An index by expiry would have to be written for each certificate.
 */
export const ssh = `
create table ssh_keys (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  name text not null,
  public_key text not null,
  fingerprint text not null unique,
  created_at bigint not null,
  last_used_at bigint
);
create index ssh_keys_by_user on ssh_keys (user_id);

create table ssh_certificates (
  serial bigint primary key,
  id text not null unique,
  user_id text not null,
  saved_key_id text not null,
  key_id text not null,
  principals text not null,
  fingerprint text not null,
  valid_after bigint not null,
  valid_before bigint not null,
  latest_expiry bigint not null,
  revoked_at bigint,
  revoke_reason text,
  created_at bigint not null
);
create index ssh_certificates_by_user on ssh_certificates (user_id, serial);
create index ssh_certificates_revoked on ssh_certificates (valid_before, serial, revoked_at) where revoked_at is not null;
create index ssh_certificates_revoked_by_serial on ssh_certificates (serial) where revoked_at is not null;

create table ssh_revoked_ranges (
  first_serial bigint primary key,
  last_serial bigint not null,
  revoked_at bigint not null,
  valid_before bigint not null
);

create table counters (
  name text primary key,
  value bigint not null
);
insert into counters (name, value) values ('ssh_serial', 0), ('krl_version', 0), ('signing_keys_skipped', 0);
`
