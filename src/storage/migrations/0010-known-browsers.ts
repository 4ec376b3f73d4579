/** Browsers that somebody has signed in with. The failed attempts of others do not count against them. */
export const knownBrowsers = `
create table known_browsers (
  token_hash text primary key,
  user_id text not null references users (id) on delete cascade,
  created_at bigint not null,
  expires_at bigint not null
);
create index known_browsers_by_user on known_browsers (user_id, created_at);
create index known_browsers_by_expiry on known_browsers (expires_at);
`
