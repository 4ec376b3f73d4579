/**
 * A link that restores an address knows from when on something that was added may be somebody else's, and which changes of the
 * address came after its own: the clocks of replicas differ, so times do not tell. An account whose address was taken back is
 * reviewed with the next link to set a password. Of a username, the last two changes by its user.
 */
export const restoredAddresses = `
alter table email_tokens add column access_since bigint;
alter table email_tokens add column change_number bigint;
update email_tokens set change_number = (
  select count(*) from email_tokens as earlier
  where earlier.user_id = email_tokens.user_id and earlier.purpose = 'email_revert'
    and (earlier.created_at < email_tokens.created_at
      or (earlier.created_at = email_tokens.created_at and earlier.token_hash <= email_tokens.token_hash))
) where purpose = 'email_revert';

alter table users add column review_access smallint not null default 0;
alter table users add column username_changed_at bigint;
alter table users add column username_changed_before bigint;
`
