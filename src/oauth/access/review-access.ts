import { setTimeout as wait } from 'node:timers/promises'
import { lockUsers } from '../../identity/users/lock-user.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { tellAllEnded } from '../logout/tell-applications.ts'
import {
  type AccessReview,
  addAccessReviews,
  deleteReview,
  listClientsWithRole,
  listDueReviews,
  listGrantingUsers,
  markLostCodesRevoked,
} from './access-review-store.ts'

/** Whoever removed a role, or an entry of a list, by mistake has this long to put it back before anybody has to sign in again. */
const REVIEW_AFTER_MS = 10 * 60_000

/** Plans to revoke the tokens of those who may no longer use these clients. Until then their tokens are not accepted. */
export const planAccessReview = ({ now }: Pick<Services, 'now'>, trx: Trx, clientIds: string[]): Promise<void> =>
  addAccessReviews(trx, clientIds, now() + REVIEW_AFTER_MS)

/** The same for all clients that admit the holders of a role. Call it before the role is deleted. */
export const planAccessReviewOfRole = async (
  services: Pick<Services, 'now'>,
  trx: Trx,
  roleId: string,
): Promise<void> => planAccessReview(services, trx, await listClientsWithRole(trx, roleId))

const CLIENTS_PER_RUN = 10
/** Other requests wait while the codes of one slice are revoked. */
const USERS_PER_SLICE = 200
const PAUSE_MS = 2

/** Revokes for good the tokens of people who lost the use of an application some time ago, and have not got it back. */
export async function reviewAccess(
  { db, now, log }: Pick<Services, 'db' | 'now' | 'log'>,
  stop: AbortSignal,
): Promise<void> {
  for (const review of await listDueReviews(db.read, now(), now() + REVIEW_AFTER_MS, CLIENTS_PER_RUN))
    if (!stop.aborted) await reviewClient({ db, now, log }, review, stop)
}

async function reviewClient(
  { db, now, log }: Pick<Services, 'db' | 'now' | 'log'>,
  review: AccessReview,
  stop: AbortSignal,
): Promise<void> {
  const { clientId } = review
  let revoked = 0
  for (let after = ''; ; await wait(PAUSE_MS)) {
    if (stop.aborted) return
    const userIds = await listGrantingUsers(db.read, { clientId, after, limit: USERS_PER_SLICE })
    if (userIds.length === 0) break
    revoked += await db.transaction(async (trx) => {
      await lockUsers(trx, userIds)
      await tellAllEnded(trx, { userIds, clientId, isLost: true }, now())
      return markLostCodesRevoked(trx, { userIds, clientId, at: now() })
    })
    after = userIds.at(-1) ?? ''
  }
  await db.transaction((trx) => deleteReview(trx, review))
  if (revoked > 0)
    log.info({ clientId, revoked }, 'Tokens of people who may no longer use an application were revoked.')
}
