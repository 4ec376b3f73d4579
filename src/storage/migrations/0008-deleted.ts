/**
 * A user or a client that was deleted is gone for everybody at once. Its row stays, marked, until the many rows that hang on
 * it have been removed in slices: deleting them all in one statement would make everybody else wait.
 */
export const deleted = `
alter table users add column deleted_at bigint;
create index users_deleted on users (id) where deleted_at is not null;

alter table oauth_clients add column deleted_at bigint;
create index oauth_clients_deleted on oauth_clients (client_id) where deleted_at is not null
`
