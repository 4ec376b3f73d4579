import { refuseField } from '../../errors.ts'
import type { Reader } from '../../storage/database.ts'
import { isAdministratorUsername, isSystemUsername } from './preferred-username.ts'
import { refusePrincipalOfRole } from './role-principals.ts'
import { refuseTakenUsername } from './taken-username.ts'
import { listTakenUsernames } from './user-store.ts'

/** Who gives the name to somebody, with `users:write`. */
interface Giver {
  isAdministrator: boolean
}

/**
 * SSH certificates give access to the UNIX account that has the same name as the user. So a username can't be that of a
 * system account, nor a principal of a role: its user would have the access of the role without the role. A name that
 * applications take for an administrator's is given by others only; one that is also a system account's, by administrators only.
 */
export async function refuseUnusableUsername(db: Reader, name: string, giver?: Giver): Promise<void> {
  refuseReservedUsername(name, giver)
  await refuseUsernameInUse(db, name)
}

export function refuseReservedUsername(name: string, giver?: Giver): void {
  const isSystem = isSystemUsername(name)
  const isGiven = isAdministratorUsername(name) && giver !== undefined && (!isSystem || giver.isAdministrator)
  if (!isGiven && (isSystem || isAdministratorUsername(name)))
    refuseField('preferredUsername', 'This username is reserved.')
}

export async function refuseUsernameInUse(db: Reader, name: string): Promise<void> {
  await refusePrincipalOfRole(db, name)
  if ((await listTakenUsernames(db, [name])).has(name)) refuseTakenUsername(name)
}
