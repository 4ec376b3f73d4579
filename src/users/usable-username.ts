import { refuse, refuseField } from '../errors.ts'
import type { Reader } from '../storage/database.ts'
import { isReservedUsername } from './preferred-username.ts'
import { listTakenUsernames } from './user-store.ts'

/**
 * A username opens the UNIX account of its name. Nobody gets one of the system's, nor one that a role opens: that would
 * be what the role gives, without the role.
 */
export async function refuseUnusableUsername(db: Reader, name: string): Promise<void> {
  if (isReservedUsername(name)) refuseField('preferredUsername', 'This username is reserved.')
  if ((await listTakenUsernames(db, [name])).has(name)) refuse('conflict', `The username ${name} is taken.`)
}
