/**
 * What a host follows when the authority gets another key, and what becomes of the tokens of hosts. The previous version makes no
 * line of a rotation, and deletes tokens instead of keeping what they were.
 */
export const hostsInStep = `
create table installation (
  only_row smallint primary key check (only_row = 1),
  id text not null
);
create table ssh_ca_rotations (
  kind text not null,
  number bigint not null,
  line text not null,
  created_at bigint not null,
  primary key (kind, number)
);
create table ssh_former_host_tokens (
  token_hash text primary key,
  host_id text not null,
  ending text not null,
  ended_at bigint not null
);
create index ssh_former_host_tokens_reading on ssh_former_host_tokens (host_id) where ending = 'reading';
create index ssh_former_host_tokens_by_end on ssh_former_host_tokens (ended_at);
create table ssh_deleted_hosts (
  host_id text primary key,
  deleted_at bigint not null
);
create index ssh_deleted_hosts_by_time on ssh_deleted_hosts (deleted_at);
create table ssh_host_attention (
  host_id text not null references ssh_hosts (id) on delete cascade,
  reason text not null,
  since bigint not null,
  last_at bigint not null,
  primary key (host_id, reason)
)
`
