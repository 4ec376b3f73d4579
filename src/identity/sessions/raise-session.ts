import { refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { Services } from '../../platform/services.ts'
import { MAX_CLOCK_SKEW_MS } from '../../storage/columns.ts'
import type { Trx } from '../../storage/database.ts'
import { acrOf, isStronger, type SignInMethod } from '../../vocabulary/sign-in-methods.ts'
import type { SignedInActor } from './actor.ts'
import { freshUntil } from './fresh.ts'
import { sessionErrors } from './session-errors.ts'
import { readProven, updateProven } from './session-store.ts'

/**
 * Notes in a session that its owner was proved once more: it is fresh, and raised to what was proved with. It is never lowered, and
 * tokens that were issued before keep what they say. The caller has locked the account.
 */
export async function raiseSession(
  { now }: Pick<Services, 'now'>,
  trx: Trx,
  { method, amr }: { method: SignInMethod; amr: string[] },
  actor: SignedInActor,
): Promise<{ freshUntil: number | null }> {
  const before = (await readProven(trx, actor.sessionId)) ?? refuse(sessionErrors.not_signed_in())
  const isMore = isStronger(acrOf({ method, amr }), acrOf({ method: before.method, amr: before.amr.split(' ') }))
  const { proved_at: earlier } = before
  // A time in the future was written under a wrong clock.
  const provedAt = earlier !== null && earlier <= now() + MAX_CLOCK_SKEW_MS ? Math.max(earlier, now()) : now()
  await updateProven(trx, actor.sessionId, {
    ...(isMore ? { method, amr: amr.join(' ') } : { method: before.method, amr: before.amr }),
    proved_at: provedAt,
  })
  await recordEvent({ now }, trx, {
    action: 'session.proved',
    outcome: 'success',
    method,
    actor,
    target: { type: 'session', id: actor.sessionId },
  })
  return { freshUntil: freshUntil(provedAt, now()) }
}
