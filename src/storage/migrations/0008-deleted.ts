/**
 * A user or a client that was deleted can't be found any more. Its row stays, marked, until the many rows that belong to it
 * have been removed in slices: deleting them all in one statement would make all other writes wait.
 */
export const deleted = `
alter table users add column deleted_at bigint;
create index users_deleted on users (id) where deleted_at is not null;

alter table oauth_clients add column deleted_at bigint;
create index oauth_clients_deleted on oauth_clients (client_id) where deleted_at is not null
`
