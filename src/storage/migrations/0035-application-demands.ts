/**
 * What an application demands of a sign-in, and how long its tokens live, in seconds; null for the default. `session_max_age` is of
 * a site behind a proxy.
 */
export const applicationDemands = `
alter table oauth_clients add column required_acr text;
alter table oauth_clients add column max_auth_age bigint;
alter table oauth_clients add column access_token_lifetime bigint;
alter table oauth_clients add column refresh_token_lifetime bigint;
alter table oauth_clients add column refresh_max_age bigint;
alter table oauth_clients add column session_max_age bigint
`
