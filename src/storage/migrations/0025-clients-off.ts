/**
 * An application can be turned off. That makes the number in `generation` one larger, and whatever carries an earlier number
 * (a code, a token) is revoked for good: one row is changed, however many there are. The previous version writes no number: what
 * it issues to an application that was turned off and on again does not work after the upgrade.
 *
 * `introspection_claims` is a setting of clients. oauth_unknown_refusals holds refused requests whose client_id nobody has.
 */
export const clientsOff = `
alter table oauth_clients add column generation bigint not null default 0;
alter table oauth_clients add column introspection_claims smallint not null default 0;
alter table oauth_authorization_codes add column client_generation bigint not null default 0;
alter table oauth_access_tokens add column client_generation bigint not null default 0;

create table oauth_unknown_refusals (
  client_id text not null,
  id text not null,
  content text not null,
  count bigint not null,
  at bigint not null,
  primary key (client_id, id)
);
create index oauth_unknown_refusals_by_time on oauth_unknown_refusals (at)
`
