import { AppError, refuse } from '../../errors.ts'
import type { RequestSource } from '../../platform/http/request-source.ts'
import { addressKey } from '../../platform/limits/address-queue.ts'
import { LIMITS } from '../../platform/limits/limits.ts'
import { dryRun, type Trx } from '../../storage/database.ts'
import { isDuplicate } from '../../storage/failure.ts'
import type { IdentityServices } from '../access-events.ts'
import { findSecurityNotification } from '../notifications/notification-store.ts'
import { consumeOwnerLink, findOwnerLink } from '../sign-in/owner-links.ts'
import { refuseTakenEmail } from '../users/email-address.ts'
import { lockAccount } from '../users/lock-user.ts'
import { notMeErrors } from './not-me-errors.ts'
import { undoEvent, type Undone } from './undo-event.ts'

interface LinkRequest {
  token: string
  source: RequestSource
}

/**
 * What the link of a mail would undo. Changes nothing, because programs that scan mail open links: it is undone in a transaction that is
 * rolled back, so that the answer is what would happen.
 */
export const previewLink = (services: IdentityServices, request: LinkRequest): Promise<Undone> =>
  attempt(services, request, (work) => dryRun(services.db, work))

/** Undoes it, once. The link is all that it needs, and gives no access. */
export const undoByLink = (services: IdentityServices, request: LinkRequest): Promise<Undone> =>
  attempt(services, request, (work) => services.db.transaction(work))

async function attempt(
  services: IdentityServices,
  { token, source }: LinkRequest,
  run: (work: (trx: Trx) => Promise<Undone>) => Promise<Undone>,
): Promise<Undone> {
  const { db, limits, now } = services
  const undo = async (): Promise<Undone> => {
    // Looked up first, so that a wrong token takes no lock.
    const { userId } = (await findOwnerLink(db.read, token, now())) ?? refuseLink()
    try {
      return await run(async (trx) => {
        const account = (await lockAccount(trx, userId)) ?? refuseLink()
        const link = (await findOwnerLink(trx, token, now())) ?? refuseLink()
        if (!(await consumeOwnerLink(trx, link))) refuseLink()
        const { notificationId, change } = link
        const notification =
          (notificationId && (await findSecurityNotification(trx, userId, notificationId))) || undefined
        if (!notification && !change) refuseLink()
        return undoEvent(services, trx, { account, notification, change, source, by: 'link' })
      })
    } catch (error) {
      if (isDuplicate(error, 'users.email')) refuseTakenEmail()
      throw error
    }
  }
  return limits.attempt([[LIMITS.notMeByAddress, addressKey(source.ipAddress)]], undo, isWrongLink)
}

const refuseLink = (): never => refuse(notMeErrors.not_me_link_expired())

const isWrongLink = (error: unknown): boolean =>
  error instanceof AppError && error.reason === ('not_me_link_expired' satisfies keyof typeof notMeErrors)
