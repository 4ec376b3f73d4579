/**
 * The second step of a sign-in with a password. `users.totp_sealed` is the secret of the authenticator app, sealed; it counts from
 * `totp_since`, which is null until a first code was right. `totp_used_steps` has the codes that were used, by their time step.
 * `waiting_sign_ins` are sign-ins whose password was right; `browser_hash` is of a cookie, and `password_number` says which password it was.
 */
export const secondStep = `
alter table users add column totp_sealed text;
alter table users add column totp_since bigint;

create table totp_used_steps (
  user_id text not null references users (id) on delete cascade,
  step bigint not null,
  primary key (user_id, step)
);

create table recovery_codes (
  user_id text not null references users (id) on delete cascade,
  code_hash text not null,
  primary key (user_id, code_hash)
);

create table waiting_sign_ins (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  browser_hash text not null,
  password_number bigint not null,
  remembered smallint not null,
  tries smallint not null,
  created_at bigint not null,
  expires_at bigint not null
);
create index waiting_sign_ins_by_user on waiting_sign_ins (user_id);
create index waiting_sign_ins_by_expiry on waiting_sign_ins (expires_at)
`
