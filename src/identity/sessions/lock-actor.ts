import { refuse } from '../../errors.ts'
import type { Lesser } from '../../platform/http/contracts.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { lockPermission } from '../roles/role-store.ts'
import type { RowLock } from '../users/lock-user.ts'
import type { CallingActor, SignedInActor } from './actor.ts'
import { refuseLesser } from './lesser.ts'
import { sessionErrors } from './session-errors.ts'
import { lockSession } from './session-store.ts'
import type { BearerToken } from './session.ts'

type ActorServices = Pick<Services, 'db' | 'now'>

type LockedActor = Pick<CallingActor, 'id' | 'permission'> &
  ({ sessionId: string; lesser?: Lesser | undefined } | { token: BearerToken })

/**
 * Checks, in the transaction of a change, that the actor may still make it: the account may act, the session is live and as strong as
 * the roles of the actor demand, the permission is held. The guard checked the same before the body was read, but the client decides when to send the body.
 *
 * The rows stay locked until the commit, so a transaction that ends the session comes before this one or after it. The order
 * of locks is account, session, role; ending sessions locks the account first as well.
 */
export async function lockActor(
  trx: Trx,
  { now }: Pick<Services, 'now'>,
  actor: LockedActor,
  lock: RowLock = 'shared',
): Promise<void> {
  const { id, permission } = actor
  const [lives, isPermitted] = await Promise.all([
    'token' in actor
      ? actor.token.lock(trx, now(), lock).then((isGood) => (isGood ? { meetsDemand: true } : undefined))
      : lockSession(trx, { id: actor.sessionId, userId: id, now: now(), lock }),
    permission === null || lockPermission(trx, id, permission),
  ])
  if (!lives) refuse(sessionErrors.not_signed_in())
  if (!lives.meetsDemand && 'sessionId' in actor)
    await refuseLesser({ now }, trx, { userId: id, sessionId: actor.sessionId }, actor.lesser)
  if (!isPermitted) refuse(sessionErrors.permission_needed({ permission: permission ?? '' }))
}

/** Runs a change in a transaction that begins by checking the actor. Changes by one person run side by side. */
export const changeAs = <T>(
  { db, now }: ActorServices,
  actor: SignedInActor,
  change: (trx: Trx) => Promise<T>,
): Promise<T> =>
  db.transaction(async (trx) => {
    await lockActor(trx, { now }, actor)
    return change(trx)
  })

/** The same check for a request that only reads, but whose body the client may have held back. */
export const recheckActor = (services: ActorServices, actor: SignedInActor): Promise<void> =>
  changeAs(services, actor, async () => {})

/** The same for a change of the actor's own account: one at a time, and without using up the connections while others wait. */
export const changeOwnAccount = <T>(
  { db, now }: ActorServices,
  actor: CallingActor,
  change: (trx: Trx) => Promise<T>,
): Promise<T> =>
  db.personQueue.run(actor.id, () =>
    db.transaction(async (trx) => {
      await lockActor(trx, { now }, actor, 'exclusive')
      return change(trx)
    }),
  )
