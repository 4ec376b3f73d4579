/**
 * Accounts of people on hosts, and what roles give over SSH beside principals. The number of an account outlives its person, so it has no
 * reference to them.
 */
export const sshAccounts = `
alter table roles add column ssh_gifts text;

alter table ssh_hosts add column accounts text not null default 'existing';
alter table ssh_hosts add column conflicts text;
alter table ssh_hosts add column allows_accounts smallint;
alter table ssh_hosts add column allows_sudo smallint;
create index ssh_hosts_managed on ssh_hosts (id) where accounts = 'managed';

create table ssh_host_accounts (
  uid bigint primary key,
  user_id text not null unique,
  name text,
  role_ids text not null,
  left_at bigint
);
insert into counters (name, value) values ('ssh_account_uid', 65999);
`
