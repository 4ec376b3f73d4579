/**
 * What receivers are told (webhooks, logout tokens, shared signals), the receipts and proofs of accounts that were disabled,
 * and links for "this was not me".
 *
 * `outbox_deliveries.number` ascends in the order in which the facts about one person were written, because the row of that person
 * is locked meanwhile. Whatever says that it waits has a partial index: finished deliveries are kept for 30 days, and there are many.
 */
export const outbox = (ascendingKey: string): string => `
create table outbox_deliveries (
  number ${ascendingKey},
  id text not null unique,
  kind text not null,
  receiver_id text not null,
  person_id text not null,
  type text not null,
  fact text not null,
  action_id text,
  sequence bigint,
  state text not null,
  replaced_by bigint,
  attempts bigint not null default 0,
  rejections bigint not null default 0,
  next_attempt_at bigint,
  scheduled_at bigint not null,
  claim text,
  last_status bigint,
  last_error text,
  created_at bigint not null,
  expires_at bigint not null,
  finished_at bigint
);
create index outbox_deliveries_due on outbox_deliveries (kind, receiver_id, next_attempt_at, number)
  where state = 'waiting' and replaced_by is null;
create index outbox_deliveries_replaced on outbox_deliveries (replaced_by)
  where state = 'waiting' and replaced_by is not null;
create index outbox_deliveries_waiting on outbox_deliveries (kind, receiver_id, person_id, number)
  where state = 'waiting';
create index outbox_deliveries_of_person on outbox_deliveries (person_id, kind, receiver_id, number) where state = 'waiting';
create index outbox_deliveries_expiring on outbox_deliveries (expires_at) where state = 'waiting';
create index outbox_deliveries_unnumbered on outbox_deliveries (kind, receiver_id, sequence, number)
  where kind = 'webhook' and sequence is null and state = 'waiting';
create unique index outbox_deliveries_by_sequence on outbox_deliveries (receiver_id, sequence)
  where sequence is not null;
create index outbox_deliveries_by_receiver on outbox_deliveries (receiver_id, kind, number);
create index outbox_deliveries_by_action on outbox_deliveries (action_id) where action_id is not null;
create index outbox_deliveries_awaited on outbox_deliveries (action_id) where action_id is not null and state = 'waiting';
create index outbox_deliveries_finished on outbox_deliveries (finished_at) where finished_at is not null;

create table outbox_receivers (
  kind text not null,
  receiver_id text not null,
  failing_since bigint,
  paused_until bigint,
  last_status bigint,
  last_error text,
  last_at bigint,
  notified_at bigint,
  primary key (kind, receiver_id)
);

create table webhooks (
  id text primary key,
  url text not null,
  events text not null,
  description text not null,
  enabled smallint not null,
  secret_sealed text not null,
  previous_secret_sealed text,
  previous_secret_until bigint,
  last_sequence bigint not null default 0,
  created_at bigint not null
);

create table signal_streams (
  client_id text primary key references oauth_clients (client_id) on delete cascade,
  id text not null unique,
  status text not null,
  delivery_method text not null,
  endpoint_url text,
  authorization_sealed text,
  events_requested text not null,
  description text,
  created_at bigint not null,
  updated_at bigint not null
);

create table signal_role_changes (
  user_id text primary key references users (id) on delete cascade,
  txn text not null,
  at bigint not null
);
insert into counters (name, value)
  select 'rsa_id_tokens', 1 where exists (select 1 from service_keys where purpose = 'signing-rsa');

alter table oauth_clients add column backchannel_logout_uri text;
alter table oauth_clients add column backchannel_logout_session_required smallint not null default 0;
alter table oauth_clients add column session_expiry smallint not null default 0;
alter table oauth_clients add column refresh_tokens text not null default 'offline';
alter table oauth_clients add column signal_subjects text not null default 'own';
alter table oauth_clients add column signal_subject_format text not null default 'iss_sub';
alter table oauth_clients add column telling smallint not null default 0;
create index oauth_clients_telling on oauth_clients (client_id) where telling = 1;

alter table oauth_authorization_codes add column session_id text;
alter table oauth_grants add column untold smallint not null default 1;

create table oauth_client_sessions (
  session_id text not null,
  client_id text not null references oauth_clients (client_id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  created_at bigint not null,
  kept_until bigint not null,
  primary key (session_id, client_id)
);
create index oauth_client_sessions_by_user on oauth_client_sessions (user_id, client_id);
create index oauth_client_sessions_by_client on oauth_client_sessions (client_id);
create index oauth_client_sessions_by_end on oauth_client_sessions (kept_until);

alter table lifecycle_actions add column completed_at bigint;
alter table lifecycle_actions add column told text;

create table open_receipts (
  action_id text primary key,
  user_id text not null,
  email text not null,
  requested_by text,
  requested_by_email text,
  requested_at bigint not null,
  executed_at bigint not null,
  ended text not null,
  receivers text not null
);
create index open_receipts_by_execution on open_receipts (executed_at, action_id);
create table ssh_told_hosts (
  action_id text not null,
  host_id text not null,
  name text not null,
  krl_version bigint not null,
  valid_before bigint not null,
  state text not null,
  finished_at bigint,
  primary key (action_id, host_id)
);
create index ssh_told_hosts_waiting on ssh_told_hosts (host_id, krl_version) where state = 'waiting';
create index ssh_told_hosts_awaited on ssh_told_hosts (action_id) where state = 'waiting';
create index ssh_told_hosts_finished on ssh_told_hosts (finished_at) where finished_at is not null;

create table proof_chains (
  chain bigint primary key,
  restored_from text,
  began_at bigint not null
);
create table leaving_proofs (
  chain bigint not null references proof_chains (chain),
  number bigint not null,
  action_id text not null unique,
  user_id text not null,
  proof text not null,
  digest text not null,
  duration_ms bigint,
  created_at bigint not null,
  primary key (chain, number)
);
create index leaving_proofs_timed on leaving_proofs (created_at, duration_ms) where duration_ms is not null;

alter table email_tokens add column about text;
alter table notifications add column undone_at bigint;
alter table notifications add column password_number bigint not null default 0;
alter table users add column password_number bigint not null default 0;
`
