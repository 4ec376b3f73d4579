/**
 * How somebody signed in is a column of the audit trail, so that sign-ins are counted without searching in JSON. Filled in
 * for the days that the overview shows. Sign-ins that a replica of the previous version records while replicas are upgraded
 * have none; the overview counts them as those with a password.
 */
export const signInMethods = `
alter table audit_events add column method text;

update audit_events set method = case when data like '%"method":"passkey"%' then 'passkey' else 'password' end
where action in ('session.started', 'session.refused', 'passkey.refused')
  and at > (select max(at) - 2764800000 from audit_events)
`
