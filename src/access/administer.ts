import type { Actor } from '../audit/record-event.ts'
import { refuse } from '../errors.ts'
import type { Services } from '../services.ts'
import type { Db } from '../storage/schema.ts'
import { ADMIN_ROLE } from './built-in-roles.ts'
import { findHoldings, type UserHoldings } from './holdings.ts'
import type { Permission } from './permissions.ts'

/**
 * One administrative change at a time, on all copies together. What the caller may do is read again under the lock: two
 * administrators who remove each other at the same moment come one after the other, and the second is none any more.
 */
export const administer = <T>(
  { db }: Pick<Services, 'db'>,
  actor: Actor,
  permission: Permission,
  change: (trx: Db, caller: UserHoldings) => Promise<T>,
): Promise<T> =>
  db.transaction().execute(async (trx) => {
    await takeAdministrationLock(trx)
    return change(trx, await findCaller(trx, actor, permission))
  })

/** What the caller holds now, if they may still act and still hold the permission. */
export async function findCaller(db: Db, actor: Actor, permission: Permission): Promise<UserHoldings> {
  const userId = actor.id ?? ''
  const active = await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  const caller = await findHoldings(db, userId)
  if (!active || !caller.permissions.has(permission)) refuse('forbidden', `This needs the permission ${permission}.`)
  return caller
}

/** Writing the row without changing it makes others wait for our commit; where there is one writer, it costs nothing. */
export async function takeAdministrationLock(trx: Db): Promise<void> {
  await trx
    .updateTable('roles')
    .set((eb) => ({ created_at: eb.ref('created_at') }))
    .where('id', '=', ADMIN_ROLE)
    .execute()
}
