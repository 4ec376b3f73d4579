/** Accounts that somebody registered, and whose address was never confirmed, are known from the audit trail. */
export const confirmedAddresses = `
alter table users add column never_confirmed smallint not null default 0;

update users set never_confirmed = 1
where email_verified = 0
  and id in (select target_id from audit_events where action = 'user.registered')
  and id not in (
    select target_id from audit_events
    where action in ('user.email_verified', 'user.password_reset') and target_id is not null
  )
`
