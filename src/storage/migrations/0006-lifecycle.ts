/**
 * Planned actions, notifications and the audit trail. The audit trail keeps names of people who were deleted.
 *
 * Notifications and audit entries are written often. So they have few indexes: the one that finds a person's
 * notifications also orders and counts them.
 */
export const lifecycle = `
create table lifecycle_actions (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  action text not null,
  status text not null,
  execute_at bigint not null,
  requested_by text,
  attempts bigint not null default 0,
  claimed_at bigint,
  finished_at bigint,
  failure_reason text,
  created_at bigint not null
);
create index lifecycle_actions_due on lifecycle_actions (execute_at, created_at, id)
  where status in ('pending', 'running');
create index lifecycle_actions_failed on lifecycle_actions (id) where status = 'failed';
create index lifecycle_actions_by_user on lifecycle_actions (user_id, created_at);

create table notifications (
  id text not null,
  user_id text not null references users (id) on delete cascade,
  type text not null,
  data text not null,
  created_at bigint not null,
  read_at bigint
);
create index notifications_by_user on notifications (user_id, id, read_at);
create index notifications_by_age on notifications (created_at);

create table audit_events (
  id text not null,
  at bigint not null,
  action text not null,
  outcome text not null,
  actor_id text,
  actor_email text,
  target_type text,
  target_id text,
  ip_address text,
  user_agent text,
  request_id text,
  data text not null,
  primary key (at, id)
);
create index audit_events_by_action on audit_events (action, at);
create index audit_events_by_actor on audit_events (actor_id, at);
create index audit_events_by_target on audit_events (target_id, at);
`
