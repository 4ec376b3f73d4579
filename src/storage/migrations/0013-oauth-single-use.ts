/**
 * Authorization requests that wait for a sign-in are carried by the browser, and only those that were answered are stored.
 * oauth_pending_requests is left for replicas of the version before, which run while replicas are upgraded one by one.
 *
 * The version before let every sibling of a refresh token go on. Families in which two of them did are held by two parties
 * for all that anybody knows: they end, as they would at the next use.
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
