import { refuse } from '../../errors.ts'
import type { Lesser } from '../../platform/http/contracts.ts'
import type { Services } from '../../platform/services.ts'
import type { Reader } from '../../storage/database.ts'
import { findLacking, type Lacking } from '../roles/role-demands.ts'
import { sessionErrors } from './session-errors.ts'
import { findSetUpRight } from './session-store.ts'

interface Asking {
  userId: string
  sessionId: string
}

/** Refuses such a session, unless it may do this. */
export async function refuseLesser(
  { now }: Pick<Services, 'now'>,
  db: Reader,
  { userId, sessionId }: Asking,
  lesser: Lesser | undefined,
): Promise<void> {
  if (lesser === 'anything') return
  if (lesser === undefined) refuse(sessionErrors.setup_needed())
  const lacking = await findLacking(db, userId)
  const sets = lesser === 'set_up_passkey' || lacking?.demand === 'second_step'
  if (!lacking || !sets || !(await maySetUp(db, lacking, sessionId, now()))) refuse(sessionErrors.setup_needed())
}

/** Somebody who has nothing to prove it with: for some days after the demand, or by a link. The operator's is also for what was lost. */
async function maySetUp(db: Reader, { means, setUpUntil }: Lacking, sessionId: string, now: number): Promise<boolean> {
  const byLink = await findSetUpRight(db, sessionId)
  const isByLink = byLink !== undefined && now < byLink.until
  return means.length === 0 ? isByLink || now < setUpUntil : isByLink && byLink.replaces
}
