/** What a role will demand of the sign-in of who holds it, and from when. */
export const plannedRoleDemands = `
alter table roles add column requires_next text;
alter table roles add column requires_from bigint;
create index roles_demand_planned on roles (requires_from) where requires_from is not null
`
