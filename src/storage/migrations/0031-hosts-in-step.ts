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
)
`
