import { refuseField } from '../errors.ts'
import type { Reader } from '../storage/database.ts'
import { isReservedUsername } from './preferred-username.ts'
import { refusePrincipalOfRole } from './role-principals.ts'
import { listTakenUsernames } from './user-store.ts'

/**
 * SSH certificates give access to the UNIX account that has the same name as the user. So a username can't be that of a
 * system account, nor a principal of a role: its user would have the access of the role without the role.
 */
export async function refuseUnusableUsername(db: Reader, name: string): Promise<void> {
  if (isReservedUsername(name)) refuseField('preferredUsername', 'This username is reserved.')
  await refusePrincipalOfRole(db, name)
  if ((await listTakenUsernames(db, [name])).has(name))
    refuseField('preferredUsername', `The username ${name} is taken.`, 'conflict')
}
