import type { Trx } from '../../storage/database.ts'
import { type IdentityServices, publish } from '../access-events.ts'
import { replaceUsername } from '../users/replace-username.ts'
import { takeNameFromRoles } from '../users/role-principals.ts'

export interface Rename {
  userId: string
  from: string
  to: string
}

/**
 * Completes a change of username that this transaction has written: reserves the old one, and revokes the certificates that
 * name it. Returns what the audit event says about it; nothing when the username is the same.
 */
export async function completeRename(
  services: Pick<IdentityServices, 'now' | 'accessSubscribers'>,
  trx: Trx,
  { userId, from, to }: Rename,
) {
  if (from === to) return {}
  await takeNameFromRoles(trx, to)
  await replaceUsername(services, trx, { userId, from, to })
  const ended = await publish(services, trx, 'username_changed', { userId })
  return { preferredUsername: { from, to }, ...ended }
}
