/**
 * Device authorization (RFC 8628). The person types the user code, so it is short: what is stored is a message
 * authentication code, from which it can't be computed without the secret key. When the person approves, the authorization
 * is a row of oauth_authorization_codes whose code_hash is the device_code_hash.
 *
 * Two more columns: an application that is built in can be turned off, and a saved SSH key can have an end.
 * ssh_announced_sign_ins holds the authorizations whose first certificate the person was notified of.
 */
export const deviceCodes = `
create table oauth_device_codes (
  device_code_hash text primary key,
  user_code_mac text not null unique,
  client_id text not null,
  scope text not null,
  code_challenge text,
  device_name text,
  ip_address text not null,
  country text,
  city text,
  region text,
  user_agent text,
  interval_ms bigint not null,
  last_polled_at bigint,
  decision text,
  created_at bigint not null,
  expires_at bigint not null
);
create index oauth_device_codes_by_expiry on oauth_device_codes (expires_at);

alter table oauth_clients add column disabled_at bigint;

alter table ssh_keys add column ephemeral_until bigint;
create index ssh_keys_ephemeral on ssh_keys (ephemeral_until) where ephemeral_until is not null;

create table ssh_announced_sign_ins (
  authorization_hash text primary key,
  expires_at bigint not null
);
create index ssh_announced_sign_ins_by_expiry on ssh_announced_sign_ins (expires_at)
`
