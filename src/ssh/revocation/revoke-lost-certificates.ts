import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_NAMED_HOLDERS } from '../../identity/access-events.ts'
import { recordEvent, THE_SERVICE } from '../../platform/audit/record-event.ts'
import { newId } from '../../platform/ids.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { isEntitled, listEntitlements } from '../certificates/principals.ts'
import { listManagedAdmissions } from '../certificates/sudo-on-hosts.ts'
import { raiseKrlVersion } from './revocation-store.ts'
import {
  addReview,
  deleteReview,
  lockNextReview,
  listNextUserIds,
  markReviewed,
  listValidCertificates,
  markCertificatesRevoked,
} from './revoked-certificate-store.ts'

/**
 * Revokes the certificates of these people that name what they do not have any more: an old username, a principal that
 * no role of theirs gives, or another value of an extension. Also those of somebody who has lost sudo on a host. Without the permission to get certificates, all of them. Returns how many it revoked.
 *
 * Call it in the transaction that takes something away, after that. A certificate that is being issued locks what it names,
 * so that this transaction has waited for it and finds it here.
 */
export async function revokeLostCertificates(
  { now }: Pick<Services, 'now'>,
  trx: Trx,
  userIds: string[],
  reason: string,
): Promise<number> {
  const at = now()
  // In this order: a certificate that is issued in between names only what its owner still has.
  const valid = await listValidCertificates(trx, userIds, at)
  if (valid.length === 0) return 0
  const entitlements = await listEntitlements(trx, [...new Set(valid.map(({ userId }) => userId))])
  const managedHosts = valid.some(({ rules }) => rules.sudo) ? await listManagedAdmissions(trx) : []
  const lost = valid.filter((certificate) => !isEntitled(entitlements, certificate, managedHosts))
  const revoked = await markCertificatesRevoked(trx, { ids: lost.map(({ id }) => id), reason, at })
  if (revoked > 0) await raiseKrlVersion(trx)
  return revoked
}

/**
 * The same for those who had a role. When they are more than one transaction should review, it only adds a review, which
 * `reviewCertificates` carries out. Returns what the audit event says about it.
 */
export async function revokeCertificatesOfHolders(
  services: Pick<Services, 'now'>,
  trx: Trx,
  holderIds: string[] | 'many',
  reason: string,
): Promise<{ certificatesRevoked: number } | { certificateReviewId: string }> {
  if (holderIds !== 'many') {
    return { certificatesRevoked: await revokeLostCertificates(services, trx, holderIds, reason) }
  }
  const id = newId()
  await addReview(trx, { id, reason, at: services.now() })
  return { certificateReviewId: id }
}

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
  const userIds = await listNextUserIds(trx, review, MAX_NAMED_HOLDERS)
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
