/**
 * What hosts of sites and SSH hosts admitted before their site or host was deleted or moved: whoever makes it anew is compared
 * with that for 90 days. A version before this one leaves nothing here.
 */
export const formerHosts = `
create table former_hosts (
  kind text not null,
  host text not null,
  admission text not null,
  kept_until bigint not null,
  primary key (kind, host)
);
create index former_hosts_by_expiry on former_hosts (kept_until)
`
