/**
 * Authorization requests that wait for a sign-in are carried by the browser, and only those that were answered are stored.
 * oauth_pending_requests is kept for replicas of the previous version, which run while replicas are upgraded one by one.
 *
 * The previous version accepted every sibling of a refresh token. Families in which two siblings were used may be held by two
 * parties, so they are revoked, as they would be at the next use.
 */
export const oauthSingleUse = `
create table oauth_answered_requests (
  id_hash text primary key,
  expires_at bigint not null
);
create index oauth_answered_requests_by_expiry on oauth_answered_requests (expires_at);

update oauth_authorization_codes set revoked_at = created_at
where revoked_at is null and code_hash in (
  select code_hash from oauth_refresh_tokens
  where used_at is not null and parent_hash is not null
  group by code_hash, parent_hash having count(*) > 1
)
`
