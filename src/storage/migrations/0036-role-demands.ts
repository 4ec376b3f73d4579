/**
 * What roles demand of a sign-in, and since when: of a role, and of who holds it. `sessions.verified` and that of codes say that a passkey
 * was used that verified its user; `passkeys.verifies` whether it ever did, null where that was not noted. `app_passwords.strength` is that of
 * the session that made one. `sessions.set_up_until` is of a link that lets a session set up what is demanded, and `set_up_replaces` says
 * that it is also for somebody who has lost it. Few roles demand anything, and the index has only those: a query that asks costs nothing without them.
 */
export const roleDemands = `
alter table roles add column requires text not null default 'none';
alter table roles add column requires_since bigint not null default 0;
create index roles_demanding on roles (id) where requires <> 'none';
alter table user_roles add column assigned_at bigint not null default 0;
alter table sessions add column verified smallint not null default 0;
alter table sessions add column set_up_until bigint;
alter table sessions add column set_up_replaces smallint not null default 0;
alter table oauth_authorization_codes add column verified smallint not null default 0;
alter table app_passwords add column strength smallint not null default 0;
alter table passkeys add column verifies smallint
`
