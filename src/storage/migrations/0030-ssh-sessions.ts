/**
 * Who is on which host, as the hosts report it.
 *
 * `ssh_host_sessions.number` tells sessions of one host apart that are alike in everything else. A session refers to no certificate and to
 * no account: it is there until its host says otherwise. `ssh_hosts.sessions_digest` is of the list as it was reported, so that an equal
 * report writes nothing; null: the host has not said who is there. `ssh_hosts.last_ends` has the ends of the last report that were counted,
 * because a host that got no answer reports them again.
 */
export const sshSessions = `
create table ssh_host_sessions (
  host_id text not null references ssh_hosts (id) on delete cascade,
  number bigint not null,
  serial bigint not null,
  account text not null,
  started_at bigint not null,
  source_address text not null,
  user_id text not null,
  primary key (host_id, number)
);
create index ssh_host_sessions_by_user on ssh_host_sessions (user_id, started_at);

alter table ssh_hosts add column principals_version text;
alter table ssh_hosts add column sessions_digest text;
alter table ssh_hosts add column last_ends text;

alter table ssh_told_hosts add column user_id text;
alter table ssh_told_hosts add column sessions_closed bigint;
create index ssh_told_hosts_by_user on ssh_told_hosts (user_id, host_id, krl_version) where user_id is not null
`
