import { refuse, AppError } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { Trx } from '../../storage/database.ts'
import { isUnavailable } from '../../storage/failure.ts'
import type { IdentityServices } from '../access-events.ts'
import { notifyAdministrators } from '../notifications/notify.ts'
import { openReceipts } from '../receipts/open-receipts.ts'
import { NOTHING_ENDED, type Ended } from '../receipts/receipt.ts'
import { refuseLastAdministrator } from '../roles/administrators.ts'
import { readHoldings, refuseIfHoldsMore } from '../roles/holdings.ts'
import { lockAdministration } from '../sessions/administer.ts'
import { mayAct } from '../users/account-state.ts'
import { findUser, findAccountById } from '../users/user-store.ts'
import { lifecycleErrors } from './lifecycle-errors.ts'
import {
  claimDueActions,
  markCompleted,
  markFailed,
  markTried,
  markUnclaimed,
  updateReceipts,
  type Claim,
} from './lifecycle-store.ts'
import { disableAccounts, enableAccounts, type AccountChange } from './switch-account.ts'

type DueServices = Pick<IdentityServices, 'db' | 'now' | 'signals' | 'log' | 'accessSubscribers'>

/** Small enough that other requests wait only for milliseconds. */
const BATCH = 20
/** Carrying a batch out takes milliseconds. An action that is still running after this long failed, or its process died. */
const LEASE_MS = 10_000
/** How often an action is tried that fails for another reason than an unavailable database. */
const MAX_TRIES = 5
/** The rest waits for the next run, so that a service that is shutting down stops soon. */
const MAX_BATCHES = 50

/**
 * Carries out the actions that are due. The transaction that does it also marks them completed: a process that dies leaves
 * either all of it done or nothing, and its claims are claimed again after the lease. A failure because the database is
 * unavailable is not counted as a try: actions wait until it is available again.
 */
export async function runDueActions(services: DueServices): Promise<void> {
  const { db, now } = services
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const claims = await claimDueActions(db, { now: now(), leaseMs: LEASE_MS, limit: BATCH })
    if (claims.length === 0) return
    try {
      await carryOut(services, claims)
    } catch (error) {
      // If this fails too, they are claimed again when the lease is over.
      if (isUnavailable(error)) await db.transaction((trx) => markUnclaimed(trx, claims)).catch(() => {})
      throw error
    }
  }
}

/** A batch is one commit. When something in it is refused or fails, each is carried out alone, so that the others are done. */
async function carryOut(services: DueServices, claims: Claim[]): Promise<void> {
  try {
    await services.db.transaction((trx) => apply(services, trx, claims))
  } catch (error) {
    if (isUnavailable(error)) throw error
    if (claims.length > 1) for (const claim of claims) await carryOut(services, [claim])
    else for (const claim of claims) await handleFailure(services, claim, error)
  }
}

async function apply(services: DueServices, trx: Trx, claims: Claim[]): Promise<void> {
  await lockAdministration(trx)
  const changes = (await markCompleted(trx, claims, services.now())).map(toChange)
  const off = changes.filter(({ action }) => action === 'disable')
  const on = changes.filter(({ action }) => action === 'enable')
  if (off.length > 0) {
    await refuseLastAdministrator(
      trx,
      off.map(({ userId }) => userId),
    )
    await writeReceipts(trx, off, await disableAccounts(services, trx, off, 'disabled_as_planned'))
    await openReceipts(
      services,
      trx,
      off.map(({ lifecycleActionId }) => lifecycleActionId),
    )
  }
  // A planned disable is carried out even if its planner can no longer do it.
  for (const { userId, actor } of on) await checkPlanner(trx, actor.id, userId)
  if (on.length > 0) await writeReceipts(trx, on, await enableAccounts(services, trx, on))
}

/** Trying again does not change a rejected action, so it fails. Anything else is tried again when the lease is over. */
async function handleFailure(services: DueServices, claim: Claim, error: unknown): Promise<void> {
  if (error instanceof AppError) return giveUp(services, claim, error.message)
  const tries = await services.db.transaction((trx) => markTried(trx, claim))
  services.log.error({ err: error, lifecycleActionId: claim.id, tries }, 'A planned action failed.')
  if (tries === undefined || tries < MAX_TRIES) return
  return giveUp(services, claim, `It failed ${tries} times; the log of the service says why.`)
}

const giveUp = (services: DueServices, claim: Claim, reason: string): Promise<void> =>
  services.db.transaction(async (trx) => {
    if (!(await markFailed(trx, claim, services.now(), reason))) return
    const user = await findUser(trx, claim.userId)
    const { userId, action, actor, lifecycleActionId } = toChange(claim)
    await recordEvent(services, trx, {
      action: `lifecycle.${action}`,
      outcome: 'refused',
      actor,
      target: { type: 'user', id: userId },
      data: { lifecycleActionId, reason },
    })
    const about = { userId, email: user?.email ?? '', displayName: user?.displayName ?? null, actorId: actor.id }
    const data = { ...about, lifecycleActionId, action, reason }
    // It was planned for somebody who may hold the role as well, and is not to know.
    await notifyAdministrators(services, trx, (id) => (id === userId ? [] : [{ type: 'lifecycle.failed', data }]))
  })

type PlannedChange = AccountChange & Pick<Claim, 'action'> & { lifecycleActionId: string }

/** The planner is the actor, also when that account was deleted since. */
const toChange = ({ id, userId, action, requestedBy }: Claim): PlannedChange => ({
  userId,
  action,
  lifecycleActionId: id,
  actor: { id: requestedBy?.id ?? null, email: requestedBy?.email ?? null, source: null },
})

const writeReceipts = (trx: Trx, changes: PlannedChange[], ended: Map<string, Ended>): Promise<void> =>
  updateReceipts(
    trx,
    changes.map(({ userId, lifecycleActionId }) => ({
      id: lifecycleActionId,
      receipt: ended.get(userId) ?? NOTHING_ENDED,
    })),
  )

/**
 * Refuses a planned enable when its planner could not enable the account now. Call it under the administration lock, so
 * that the answer still holds when the action is carried out.
 */
async function checkPlanner(trx: Trx, plannerId: string | null, userId: string): Promise<void> {
  const planner = await findAccountById(trx, plannerId ?? '')
  if (!planner || !mayAct(planner)) return refuse(lifecycleErrors.planner_gone())
  const held = await readHoldings(trx, planner.user.id)
  if (!held.permissions.has('users:lifecycle')) {
    return refuse(lifecycleErrors.planner_lost_permission())
  }
  try {
    await refuseIfHoldsMore(trx, held, userId, 'access')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return refuse(lifecycleErrors.person_holds_more_than_planner())
  }
}
