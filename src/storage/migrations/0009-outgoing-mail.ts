/**
 * A mail has the digest and the expiry of its link, the claim of the replica that sends it, and when its next attempt was set.
 * The index on planned actions finds those of a person who is disabled.
 */
export const outgoingMail = `
alter table outgoing_mail add column token_hash text;
alter table outgoing_mail add column expires_at bigint;
alter table outgoing_mail add column claim text;
alter table outgoing_mail add column scheduled_at bigint not null default 0;
create index outgoing_mail_scheduled on outgoing_mail (scheduled_at);
create index lifecycle_actions_by_planner on lifecycle_actions (requested_by) where status = 'pending';
`
