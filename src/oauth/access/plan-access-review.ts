import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { addAccessReviews, listClientsWithRole } from './access-review-store.ts'

/** Whoever removed a role, or an entry of a list, by mistake has this long to put it back before anybody has to sign in again. */
export const REVIEW_AFTER_MS = 10 * 60_000

/** Plans to revoke the tokens of those who may no longer use these clients. Until then their tokens are not accepted. */
export const planAccessReview = ({ now }: Pick<Services, 'now'>, trx: Trx, clientIds: string[]): Promise<void> =>
  addAccessReviews(trx, clientIds, now() + REVIEW_AFTER_MS)

/** The same for all clients that admit the holders of a role. Call it before the role is deleted. */
export const planAccessReviewOfRole = async (
  services: Pick<Services, 'now'>,
  trx: Trx,
  roleId: string,
): Promise<void> => planAccessReview(services, trx, await listClientsWithRole(trx, roleId))
