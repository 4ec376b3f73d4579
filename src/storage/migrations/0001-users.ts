/** People, and what they may do. */
export const users = `
create table users (
  id text primary key,
  email text not null unique,
  email_verified smallint not null default 0,
  password_hash text,
  display_name text,
  given_name text,
  family_name text,
  preferred_username text not null unique,
  avatar_version text,
  disabled_at bigint,
  created_at bigint not null,
  last_login_at bigint
);
create index users_by_age on users (created_at, id);
create index users_disabled on users (created_at, id) where disabled_at is not null;

create table roles (
  id text primary key,
  name text not null,
  description text not null default '',
  principals text not null default '[]',
  built_in smallint not null default 0,
  created_at bigint not null
);
create unique index roles_by_name on roles (lower(name));

create table role_permissions (
  role_id text not null references roles (id) on delete cascade,
  permission text not null,
  primary key (role_id, permission)
);

create table user_roles (
  user_id text not null references users (id) on delete cascade,
  role_id text not null references roles (id) on delete cascade,
  primary key (user_id, role_id)
);
create index user_roles_by_role on user_roles (role_id);
`
