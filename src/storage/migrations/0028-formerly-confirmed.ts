/**
 * An address that was confirmed once can restore itself also when an administrator has taken the confirmation back. The
 * address is kept and not a flag, which an earlier version would leave set when it changes the address.
 */
export const formerlyConfirmed = `
alter table users add column confirmed_email text;
`
