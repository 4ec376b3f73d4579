import { takeAdministrationLock } from '../access/administer.ts'
import { refuseLastAdministrator } from '../access/administrators.ts'
import { recordEvent } from '../audit/record-event.ts'
import { AppError } from '../errors.ts'
import type { Services } from '../services.ts'
import type { Db, Trx } from '../storage/schema.ts'
import { type Claim, claimDueActions, listExhausted, markCompleted, markFailed } from './lifecycle-store.ts'
import { type Switch, switchOff, switchOn } from './switch-account.ts'

type Needs = Pick<Services, 'db' | 'now' | 'signals' | 'log'>

/** Small enough that a request that comes in between waits for milliseconds. */
const BATCH = 20
/** Carrying a batch out takes milliseconds. Whatever is still running after this long lost its process, or failed. */
const LEASE_MS = 10_000
const MOST_ATTEMPTS = 5
/** What is left over waits for the next second, so that a service that is told to stop has not long to go. */
const MOST_BATCHES = 50

/**
 * Carries out what is due. The transaction that does it also marks it completed: a process that dies at any point leaves
 * either nothing done or all of it, and what it had taken is taken up again.
 */
export async function runDueActions(services: Needs): Promise<void> {
  const { db, now } = services
  const limits = { mostAttempts: MOST_ATTEMPTS, limit: BATCH }
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    const claims = await claimDueActions(db, { ...limits, now: now(), staleBefore: now() - LEASE_MS })
    if (claims.length === 0) break
    await carryOut(services, claims)
  }
  for (const claim of await listExhausted(db, { ...limits, staleBefore: now() - LEASE_MS })) {
    await giveUp(services, claim, `It failed ${MOST_ATTEMPTS} times; the log of the service says why.`)
  }
}

/** A batch is one commit. When something in it is refused or fails, each is carried out alone, so the others are not held up. */
async function carryOut(services: Needs, claims: Claim[]): Promise<void> {
  try {
    await services.db.transaction().execute((trx) => apply(services, trx, claims))
  } catch (error) {
    if (claims.length > 1) for (const claim of claims) await carryOut(services, [claim])
    else for (const claim of claims) await explain(services, claim, error)
  }
}

async function apply(services: Needs, trx: Trx, claims: Claim[]): Promise<void> {
  await takeAdministrationLock(trx)
  const counting = await markCompleted(trx, claims, services.now())
  const asked = await withRequesters(trx, counting)
  const off = asked.filter(({ action }) => action === 'disable')
  const on = asked.filter(({ action }) => action === 'enable')
  if (off.length > 0) {
    await refuseLastAdministrator(
      trx,
      off.map(({ userId }) => userId),
    )
    await switchOff(services, trx, off)
  }
  if (on.length > 0) await switchOn(services, trx, on)
}

/** A refusal stays one however often it is tried; anything else is tried again when the lease is over. */
async function explain(services: Needs, claim: Claim, error: unknown): Promise<void> {
  if (error instanceof AppError) return giveUp(services, claim, error.message)
  const { id, attempt } = claim
  services.log.error({ err: error, lifecycleActionId: id, attempt }, 'A planned action failed; it is tried again.')
}

const giveUp = ({ db, now }: Needs, claim: Claim, reason: string): Promise<void> =>
  db.transaction().execute(async (trx) => {
    if (!(await markFailed(trx, claim, now(), reason))) return
    for (const { userId, actor } of await withRequesters(trx, [claim])) {
      await recordEvent({ now }, trx, {
        action: `lifecycle.${claim.action}`,
        outcome: 'refused',
        actor,
        target: { type: 'user', id: userId },
        data: { lifecycleActionId: claim.id, reason },
      })
    }
  })

/** Whoever planned it did it, also when they have left since. */
async function withRequesters(db: Db, claims: Claim[]): Promise<(Switch & Pick<Claim, 'action'>)[]> {
  const ids = [...new Set(claims.flatMap(({ requestedBy }) => requestedBy ?? []))]
  const people = await db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('id', 'in', ['', ...ids])
    .execute()
  const emails = new Map(people.map(({ id, email }) => [id, email]))
  return claims.map(({ id, userId, action, requestedBy }) => ({
    userId,
    action,
    lifecycleActionId: id,
    actor: { id: requestedBy, email: emails.get(requestedBy ?? '') ?? null, caller: null },
  }))
}
