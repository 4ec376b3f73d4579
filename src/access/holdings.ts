import { refuse } from '../errors.ts'
import type { Reader } from '../storage/database.ts'
import { ADMIN_ROLE } from './built-in-roles.ts'
import { readHoldings, type Holdings, type UserHoldings } from './holdings-store.ts'
import type { Role } from './role.ts'

export const holdingsOf = ({ permissions, principals }: Role): Holdings => ({
  permissions: new Set(permissions),
  principals: new Set(principals),
})

const isAdministrator = ({ roleIds }: UserHoldings): boolean => roleIds.has(ADMIN_ROLE)

/** Permissions that the caller does not hold, and principals that the caller's own certificates would not carry. */
const listMore = (held: UserHoldings, { permissions, principals }: Holdings): string[] => [
  ...permissions.difference(held.permissions),
  ...[...principals].filter((name) => name !== held.username && !held.principals.has(name)),
]

/** Users can give only what they hold. Administrators hold every permission, and may give any principal. */
export function refuseGivingMore(held: UserHoldings, given: Holdings): void {
  const more = isAdministrator(held) ? [] : listMore(held, given)
  if (more.length > 0) {
    refuse('forbidden', `You can't give what you don't hold yourself: ${more.toSorted().join(', ')}.`)
  }
}

/** Users can't change or delete a role that holds more than they do. */
export function refuseChangingStrongerRole(held: UserHoldings, role: Holdings): void {
  const more = isAdministrator(held) ? [] : listMore(held, role)
  if (more.length > 0) refuse('forbidden', `This role holds more than you do: ${more.toSorted().join(', ')}.`)
}

/** Users can't change a person who holds more than they do: they could take over that account, and what it holds. */
export async function refuseIfHoldsMore(db: Reader, held: UserHoldings, userId: string): Promise<void> {
  if (userId === held.userId || isAdministrator(held)) return
  const more = listMore(held, await readHoldings(db, userId))
  if (more.length > 0) refuse('forbidden', `This person holds more than you do: ${more.toSorted().join(', ')}.`)
}

export function refuseOwnRole(held: UserHoldings, userId: string): void {
  if (userId === held.userId && !isAdministrator(held)) {
    refuse('forbidden', "You can't give yourself a role. Ask somebody else who may assign roles.")
  }
}

/** A username is a principal of SSH certificates. Users who may get them can't change their own, except administrators. */
export function refuseOwnUsername(held: UserHoldings, userId: string): void {
  if (userId === held.userId && !isAdministrator(held) && held.permissions.has('ssh:cert:issue')) {
    refuse('forbidden', 'Your username opens UNIX accounts through SSH certificates. Somebody else has to change it.')
  }
}
