/**
 * The SSH CA can be replaced: `sign_at` is when a key that hosts already trust begins to sign, `retire_at` when one that no longer signs
 * stops being trusted. An older version beside this one signs with the oldest key, which is trusted until then.
 */
export const sshCaRotation = `
alter table service_keys add column sign_at bigint;
alter table service_keys add column retire_at bigint;
`
