/**
 * `sessions.offers_passkey` is 1 while its sign-in may still lead to one passkey that the browser makes by itself. A challenge with
 * `conditional` is that of such a passkey, and serves in its session alone.
 */
export const conditionalPasskeys = `
alter table sessions add column offers_passkey smallint not null default 0;
alter table passkey_challenges add column conditional smallint not null default 0
`
