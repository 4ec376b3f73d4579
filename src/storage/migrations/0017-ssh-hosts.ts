/**
 * Rules of roles for SSH certificates, and hosts that are enrolled.
 *
 * A host has one token in use, and those of renewals whose answers may have been lost: the first use of one of them deletes
 * the others. `ssh_host_certificates` refers to no host: certificates are revoked when their host is deleted, and the list
 * of revocations outlives it. The row `principal_names` of `counters` is only locked: so that no username and no principal
 * of a role are made the same at the same moment.
 */
export const sshHosts = `
alter table roles add column ssh text;
alter table ssh_certificates add column rules text;

create table ssh_hosts (
  id text primary key,
  name text not null unique,
  hostnames text not null,
  is_restricted smallint not null,
  enrollment_hash text unique,
  enrollment_expires_at bigint,
  enrolled_at bigint,
  last_seen_at bigint,
  krl_version text,
  sshd_version text,
  created_at bigint not null
);
create index ssh_hosts_by_age on ssh_hosts (created_at, id);

create table ssh_host_names (
  hostname text not null unique,
  host_id text not null references ssh_hosts (id) on delete cascade
);
create index ssh_host_names_by_host on ssh_host_names (host_id);

create table ssh_host_roles (
  host_id text not null references ssh_hosts (id) on delete cascade,
  role_id text not null references roles (id) on delete cascade,
  primary key (host_id, role_id)
);
create index ssh_host_roles_by_role on ssh_host_roles (role_id);

create table ssh_host_tokens (
  token_hash text primary key,
  host_id text not null references ssh_hosts (id) on delete cascade,
  is_used smallint not null,
  created_at bigint not null
);
create index ssh_host_tokens_by_host on ssh_host_tokens (host_id);

create table ssh_host_keys (
  fingerprint text not null unique,
  host_id text not null references ssh_hosts (id) on delete cascade,
  public_key text not null
);
create index ssh_host_keys_by_host on ssh_host_keys (host_id);

create table ssh_host_certificates (
  serial bigint primary key,
  host_id text not null,
  key_id text not null,
  hostnames text not null,
  fingerprint text not null,
  valid_after bigint not null,
  valid_before bigint not null,
  revoked_at bigint,
  created_at bigint not null
);
create index ssh_host_certificates_by_host on ssh_host_certificates (host_id, serial);
create index ssh_host_certificates_revoked on ssh_host_certificates (valid_before, serial, revoked_at)
  where revoked_at is not null;

insert into counters (name, value) values ('host_krl_version', 0), ('principal_names', 0)
`
