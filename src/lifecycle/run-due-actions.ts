import { takeAdministrationLock } from '../access/administer.ts'
import { refuseLastAdministrator } from '../access/administrators.ts'
import { type Actor, recordEvent } from '../audit/record-event.ts'
import { AppError } from '../errors.ts'
import type { Services } from '../services.ts'
import type { Db } from '../storage/schema.ts'
import { type Claim, claimDueActions, listExhausted, markFinished } from './lifecycle-store.ts'
import { switchOff, switchOn } from './switch-account.ts'

type Needs = Pick<Services, 'db' | 'now' | 'signals' | 'log'>

const BATCH = 50
/** Carrying one out takes milliseconds. Whatever is still running after this long lost its process, or failed. */
const LEASE_MS = 10_000
const MOST_ATTEMPTS = 5

/**
 * Carries out what is due, in small batches, each action in a transaction of its own that also marks it completed: a
 * process that dies at any point leaves either nothing done or all of it, and what it had taken is taken up again.
 */
export async function runDueActions(services: Needs): Promise<void> {
  const { db, now } = services
  const limits = { mostAttempts: MOST_ATTEMPTS, limit: BATCH }
  for (;;) {
    const claims = await claimDueActions(db, { ...limits, now: now(), staleBefore: now() - LEASE_MS })
    for (const claim of claims) await carryOut(services, claim)
    if (claims.length === 0) break
  }
  for (const claim of await listExhausted(db, { ...limits, staleBefore: now() - LEASE_MS })) {
    await giveUp(services, claim, `It failed ${MOST_ATTEMPTS} times; the log of the service says why.`)
  }
}

async function carryOut(services: Needs, claim: Claim): Promise<void> {
  const { db, now, log } = services
  try {
    await db.transaction().execute(async (trx) => {
      await takeAdministrationLock(trx)
      if (!(await markFinished(trx, claim, now(), { status: 'completed' }))) return
      const asked = { userId: claim.userId, actor: await findRequester(trx, claim), lifecycleActionId: claim.id }
      if (claim.action === 'enable') return switchOn(services, trx, asked)
      await refuseLastAdministrator(trx, claim.userId)
      await switchOff(services, trx, asked)
    })
  } catch (error) {
    // A refusal stays one however often it is tried; anything else is tried again when the lease is over.
    if (error instanceof AppError) await giveUp(services, claim, error.message)
    else log.error({ err: error, lifecycleActionId: claim.id, attempt: claim.attempt }, 'A planned action failed.')
  }
}

const giveUp = ({ db, now }: Needs, claim: Claim, reason: string): Promise<void> =>
  db.transaction().execute(async (trx) => {
    if (!(await markFinished(trx, claim, now(), { status: 'failed', reason }))) return
    await recordEvent({ now }, trx, {
      action: `lifecycle.${claim.action}`,
      outcome: 'refused',
      actor: await findRequester(trx, claim),
      target: { type: 'user', id: claim.userId },
      data: { lifecycleActionId: claim.id, reason },
    })
  })

/** Whoever planned it did it, also when they have left since. */
async function findRequester(db: Db, { requestedBy }: Claim): Promise<Actor> {
  const requester = await db
    .selectFrom('users')
    .select('email')
    .where('id', '=', requestedBy ?? '')
    .executeTakeFirst()
  return { id: requestedBy, email: requester?.email ?? null, caller: null }
}
