import { setTimeout as wait } from 'node:timers/promises'
import { lockUsers } from '../../identity/users/lock-user.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { listTellingClients, listUntoldUsers, markClientTold } from './logout-store.ts'
import { tellAllEnded } from './tell-applications.ts'

/** Other changes wait while the people of one slice are told of. */
const PEOPLE_PER_SLICE = 100
const PAUSE_MS = 2
const CLIENTS_PER_RUN = 10

/**
 * Locks the first people whom an application is told about when it is turned off or deleted. Call it before the application is locked, as
 * everybody does who needs both.
 */
export async function lockFirstPeople(trx: Trx, clientId: string): Promise<string[]> {
  const userIds = await listUntoldUsers(trx, { clientId, after: '', limit: PEOPLE_PER_SLICE })
  return lockUsers(trx, userIds)
}

/**
 * Tells an application that was turned off or deleted that people have nothing there any more, a slice at a time. `telling` of its row
 * says that it is not done: the next run, on any replica, goes on.
 */
export async function tellOfClients({ db, now }: Pick<Services, 'db' | 'now'>, stop: AbortSignal): Promise<void> {
  for (const clientId of await listTellingClients(db.read, CLIENTS_PER_RUN))
    if (!stop.aborted) await tellOfClient({ db, now }, clientId, stop)
}

/** The same for one. Stopped, it leaves the rest to the next run. */
export async function tellOfClient(
  { db, now }: Pick<Services, 'db' | 'now'>,
  clientId: string,
  stop: AbortSignal,
): Promise<void> {
  for (let after = ''; ; await wait(PAUSE_MS)) {
    if (stop.aborted) return
    const userIds = await listUntoldUsers(db.read, { clientId, after, limit: PEOPLE_PER_SLICE })
    await db.transaction(async (trx) => {
      if (userIds.length === 0) return markClientTold(trx, clientId)
      await lockUsers(trx, userIds)
      return tellAllEnded(trx, { userIds, clientId }, now())
    })
    if (userIds.length === 0) return
    after = userIds.at(-1) ?? ''
  }
}
