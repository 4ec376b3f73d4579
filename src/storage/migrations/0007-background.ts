/** What the service keeps for itself: its keys (sealed), its outgoing mail (sealed), and when background jobs run next. */
export const background = `
create table service_keys (
  id text primary key,
  purpose text not null,
  state text not null,
  public_key text not null,
  private_key_sealed text not null,
  created_at bigint not null,
  retired_at bigint
);

create table outgoing_mail (
  id text primary key,
  recipient text not null,
  content_sealed text not null,
  attempts bigint not null default 0,
  next_attempt_at bigint not null,
  last_error text,
  created_at bigint not null
);
create index outgoing_mail_due on outgoing_mail (next_attempt_at);

create table background_jobs (
  name text primary key,
  next_run_at bigint not null
);

create table daily_counts (
  day text not null,
  what text not null,
  count bigint not null,
  primary key (day, what)
);
`
