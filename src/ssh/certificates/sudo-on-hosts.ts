import { sql } from 'kysely'
import { isSudoWithin, joinSudo, type Sudo } from '../../identity/roles/sudo.ts'
import type { Reader } from '../../storage/database.ts'

/** By the id of the role that gives it; roles that give none are left out. */
export type SudoByRole = Readonly<Record<string, Sudo>>

/** The ids of the roles that a host admits; null: everybody. */
export type HostAdmission = readonly string[] | null

export const sudoByRole = (roles: readonly { id: string; sudo: Sudo }[]): SudoByRole =>
  Object.fromEntries(roles.flatMap(({ id, sudo }) => (sudo === 'none' ? [] : [[id, sudo]])))

/** What somebody with these roles may run on such a host. */
export const sudoOn = (admission: HostAdmission, held: SudoByRole): Sudo =>
  joinSudo(Object.entries(held).flatMap(([id, sudo]) => (admission === null || admission.includes(id) ? [sudo] : [])))

/** Whether there is a host where the one could do what the other can't. */
export const losesSudo = (admissions: readonly HostAdmission[], before: SudoByRole, now: SudoByRole): boolean =>
  admissions.some((admission) => !isSudoWithin(sudoOn(admission, before), sudoOn(admission, now)))

/** What hosts with managed accounts admit: there alone sudo is in force. */
export async function listManagedAdmissions(db: Reader): Promise<HostAdmission[]> {
  const rows = await db
    .selectFrom('ssh_hosts')
    .select([
      'is_restricted',
      sql<string | null>`(select string_agg(role_id, ' ') from ssh_host_roles where host_id = ssh_hosts.id)`.as(
        'roles',
      ),
    ])
    .distinct()
    .where('accounts', '=', 'managed')
    .execute()
  return rows.map((row) => (row.is_restricted === 1 ? (row.roles?.split(' ') ?? []) : null))
}
