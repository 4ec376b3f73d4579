import { setTimeout as sleep } from 'node:timers/promises'
import { recordEvent, THE_SERVICE } from '../../platform/audit/record-event.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { MAX_REVIEWED_USERS, revokeLostCertificates } from '../revocation/revoke-lost-certificates.ts'
import { deleteReview, lockNextReview, listNextUserIds, markReviewed } from './certificate-review-store.ts'

/** The pause between slices, in which other requests get the database. */
const PAUSE_MS = 10
/** The rest waits for the next run, so that a service that is shutting down stops soon. */
const MAX_SLICES = 50

/**
 * Reviews the certificates of all users, after a role with very many holders has lost something. It goes through the
 * accounts in slices. Each slice is one transaction that also stores how far the review has come, so that it continues
 * there after a crash or on another replica.
 */
export async function reviewCertificates(services: Pick<Services, 'db' | 'now'>): Promise<void> {
  for (let slice = 0; slice < MAX_SLICES; slice++) {
    if (!(await services.db.transaction((trx) => reviewSlice(services, trx)))) return
    await sleep(PAUSE_MS)
  }
}

/** False when there is nothing to review. */
async function reviewSlice(services: Pick<Services, 'now'>, trx: Trx): Promise<boolean> {
  const review = await lockNextReview(trx)
  if (!review) return false
  const userIds = await listNextUserIds(trx, review, MAX_REVIEWED_USERS)
  const revoked = review.revoked + (await revokeLostCertificates(services, trx, userIds, review.reason))
  const last = userIds.at(-1)
  if (last !== undefined) {
    await markReviewed(trx, { id: review.id, reviewedUpTo: last, revoked })
    return true
  }
  await deleteReview(trx, review.id)
  await recordEvent(services, trx, {
    action: 'ssh_certificate.review_finished',
    outcome: 'success',
    actor: THE_SERVICE,
    data: { certificateReviewId: review.id, reason: review.reason, certificatesRevoked: revoked },
  })
  return true
}
