/**
 * Who may use an application, what it is told, and what of its requests was refused. A client with `restricted` admits only
 * the holders of its roles in oauth_client_roles: when the last of them is deleted, it admits nobody.
 */
export const applications = `
alter table oauth_clients add column restricted smallint not null default 0;
alter table oauth_clients add column id_token_claims text not null default 'minimal';
alter table oauth_clients add column id_token_alg text not null default 'ES256';
alter table oauth_clients add column claims text not null default '[]';
alter table oauth_clients add column reads_roles smallint not null default 0;
alter table oauth_clients add column pkce text not null default 'required';
alter table oauth_clients add column pkce_missing_at bigint;
alter table oauth_clients add column pkce_sent_at bigint;
alter table oauth_clients add column consent text not null default 'ask';
alter table oauth_clients add column launch_url text;
alter table oauth_clients add column logo_version text;

create table oauth_client_roles (
  client_id text not null references oauth_clients (client_id) on delete cascade,
  role_id text not null references roles (id) on delete cascade,
  position smallint not null,
  primary key (client_id, role_id)
);
create index oauth_client_roles_by_role on oauth_client_roles (role_id);

create table oauth_access_reviews (
  client_id text primary key references oauth_clients (client_id) on delete cascade,
  due_at bigint not null
);

create table oauth_refusals (
  client_id text not null references oauth_clients (client_id) on delete cascade,
  id text not null,
  content text not null,
  count bigint not null,
  at bigint not null,
  primary key (client_id, id)
);
create index oauth_refusals_by_time on oauth_refusals (at);

create index oauth_grants_by_client_and_user on oauth_grants (client_id, user_id);
drop index oauth_grants_by_client;

alter table users add column attributes text;
alter table roles add column attributes text
`
