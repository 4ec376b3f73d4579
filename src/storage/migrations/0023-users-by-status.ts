/**
 * Deleted accounts are never listed, nor counted as disabled or invited. With that among the conditions, these users are counted
 * by the index alone, without reading the table for each. Those who never signed in have an index of their own, and SQLite would
 * prefer the one by sign-in if they were there as well.
 */
export const usersByStatus = `
drop index users_disabled;
create index users_disabled on users (created_at, id) where disabled_at is not null and deleted_at is null;
drop index users_never_signed_in;
create index users_never_signed_in on users (id) where last_login_at is null and deleted_at is null;
drop index users_by_last_login;
create index users_by_last_login on users (last_login_at, id) where last_login_at is not null and deleted_at is null;
`
