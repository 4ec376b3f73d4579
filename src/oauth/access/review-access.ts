import { setTimeout as wait } from 'node:timers/promises'
import type { Services } from '../../platform/services.ts'
import {
  type AccessReview,
  deleteReview,
  listDueReviews,
  listGrantingUsers,
  markLostCodesRevoked,
} from './access-review-store.ts'
import { REVIEW_AFTER_MS } from './plan-access-review.ts'

type Needs = Pick<Services, 'db' | 'now' | 'log'>

const CLIENTS_PER_RUN = 10
/** Other requests wait while the codes of one slice are revoked. */
const USERS_PER_SLICE = 200
const PAUSE_MS = 2

/** Revokes for good the tokens of people who lost the use of an application some time ago, and have not got it back. */
export async function reviewAccess({ db, now, log }: Needs, stop: AbortSignal): Promise<void> {
  for (const review of await listDueReviews(db.read, now(), now() + REVIEW_AFTER_MS, CLIENTS_PER_RUN))
    if (!stop.aborted) await reviewClient({ db, now, log }, review, stop)
}

async function reviewClient({ db, now, log }: Needs, review: AccessReview, stop: AbortSignal): Promise<void> {
  const { clientId } = review
  let revoked = 0
  for (let after = ''; ; await wait(PAUSE_MS)) {
    if (stop.aborted) return
    const userIds = await listGrantingUsers(db.read, { clientId, after, limit: USERS_PER_SLICE })
    if (userIds.length === 0) break
    revoked += await db.transaction((trx) => markLostCodesRevoked(trx, { userIds, clientId, at: now() }))
    after = userIds.at(-1) ?? ''
  }
  await db.transaction((trx) => deleteReview(trx, review))
  if (revoked > 0)
    log.info({ clientId, revoked }, 'Tokens of people who may no longer use an application were revoked.')
}
