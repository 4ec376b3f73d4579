/**
 * People and their accounts: orders of the list of users.
 */
export const people = `
create index users_by_last_login on users (last_login_at, id);
create index users_never_signed_in on users (id) where last_login_at is null;
`
