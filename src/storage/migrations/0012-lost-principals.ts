/**
 * What follows when somebody loses a name or a role.
 *
 * `retired_usernames` outlives the account that had the name, so it has no reference to it. A row of
 * `ssh_certificate_reviews` is an unfinished review of all accounts, in the order of their ids.
 */
export const lostPrincipals = `
create table retired_usernames (
  username text primary key,
  user_id text not null,
  reserved_until bigint not null
);
create index retired_usernames_by_end on retired_usernames (reserved_until);

create table ssh_certificate_reviews (
  id text primary key,
  reason text not null,
  reviewed_up_to text not null,
  revoked bigint not null default 0,
  created_at bigint not null
);
`
