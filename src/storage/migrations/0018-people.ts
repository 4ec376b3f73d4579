/**
 * People and their accounts: orders of the list of users; languages; who asked for an action and why, and what it ended; who
 * invites; changes of an email address, which can be reverted; settings that
 * administrators change.
 */
export const people = `
create index users_by_last_login on users (last_login_at, id);
create index users_never_signed_in on users (id) where last_login_at is null;

alter table users add column locale text;

alter table lifecycle_actions add column reason text;
alter table lifecycle_actions add column requested_by_email text;
alter table lifecycle_actions add column receipt text;
alter table lifecycle_actions add column discreet smallint not null default 0;
update lifecycle_actions set requested_by_email =
  (select users.email from users where users.id = lifecycle_actions.requested_by and users.deleted_at is null);

alter table email_tokens add column issued_by text;
alter table email_tokens add column other_email text;
create index email_tokens_reserving on email_tokens (other_email) where purpose = 'email_revert';

create table settings (
  name text primary key,
  value text not null
);
`
