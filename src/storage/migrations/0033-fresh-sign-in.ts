/**
 * `sessions.proved_at`: when whoever has the session last proved who they are, with the sign-in or later. Null in sessions from
 * before, which are not fresh. A challenge with a session serves for such a proof in that session alone, and for no sign-in.
 */
export const freshSignIn = `
alter table sessions add column proved_at bigint;
alter table passkey_challenges add column session_id text
`
