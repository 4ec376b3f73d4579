import { refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { Services } from '../../platform/services.ts'
import { MAX_CLOCK_SKEW_MS } from '../../storage/columns.ts'
import type { Trx } from '../../storage/database.ts'
import { acrOf, isStronger, type SignInMethod } from '../../vocabulary/sign-in-methods.ts'
import type { Proven } from '../roles/role-demands.ts'
import type { SignedInActor } from './actor.ts'
import { freshUntil } from './fresh.ts'
import { sessionErrors } from './session-errors.ts'
import { readProven, updateProven, updateSetUpRight } from './session-store.ts'

/** How the session of an actor was proved, as it is in this transaction. */
export async function readActorsProof(trx: Trx, { sessionId }: Pick<SignedInActor, 'sessionId'>): Promise<Proven> {
  const row = (await readProven(trx, sessionId)) ?? refuse(sessionErrors.not_signed_in())
  return { method: row.method, amr: row.amr.split(' '), verified: row.verified === 1 }
}

/**
 * Notes in a session that its owner was proved once more: it is fresh, and raised to what was proved with. It is never lowered, and
 * tokens that were issued before keep what they say. The caller has locked the account.
 */
export async function raiseSession(
  { now }: Pick<Services, 'now'>,
  trx: Trx,
  { method, amr, verified = false }: { method: SignInMethod; amr: string[]; verified?: boolean },
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
    verified: verified ? 1 : before.verified,
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

/**
 * The same where somebody has just set up what a role demands, in a session that is fresh and less: they have it in their hands, and need not
 * prove it a second time.
 */
export async function raiseBySettingUp(
  { now }: Pick<Services, 'now'>,
  trx: Trx,
  proof: Parameters<typeof raiseSession>[2],
  actor: SignedInActor,
): Promise<void> {
  if (actor.lesser === undefined) return
  // A link is for one of them.
  await updateSetUpRight(trx, actor.sessionId, null)
  if (freshUntil(actor.provedAt, now()) !== null) await raiseSession({ now }, trx, proof, actor)
}
