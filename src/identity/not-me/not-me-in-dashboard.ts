import { refuse } from '../../errors.ts'
import { LINK_LIFETIMES_MS } from '../../platform/mail/queue-mail.ts'
import type { Reader } from '../../storage/database.ts'
import { isDuplicate } from '../../storage/failure.ts'
import type { IdentityServices } from '../access-events.ts'
import { notificationErrors } from '../notifications/notification-errors.ts'
import { findSecurityNotification, type SecurityNotification } from '../notifications/notification-store.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/lock-actor.ts'
import { sessionErrors } from '../sessions/session-errors.ts'
import type { SignedIn } from '../sessions/session.ts'
import { consumeOwnerLink, findChangeLink } from '../sign-in/owner-links.ts'
import { isProofCurrent, withProof } from '../sign-in/prove-owner.ts'
import type { SignInSource } from '../sign-in/sign-in-source.ts'
import { refuseTakenEmail } from '../users/email-address.ts'
import { findAccountById } from '../users/user-store.ts'
import { notMeErrors } from './not-me-errors.ts'
import { undoEvent, type Undone } from './undo-event.ts'

interface NotificationRequest {
  id: string
  currentPassword: string | undefined
  signedIn: SignedIn
  source: SignInSource
}

/** The same as the link in a mail, for somebody who is signed in and proves to own the account. The session ends too. */
export async function undoNotification(
  services: IdentityServices,
  request: NotificationRequest,
  actor: SignedInActor,
): Promise<Undone> {
  const { db, now } = services
  const { id, source } = request
  await findUndoable(services, db.read, actor.id, id)
  try {
    return await withProof(services, { ...request, actor }, (proof) =>
      changeOwnAccount(services, actor, async (trx) => {
        if (!(await isProofCurrent(trx, actor.id, proof))) return undefined
        const account = (await findAccountById(trx, actor.id)) ?? refuse(sessionErrors.not_signed_in())
        const notification = await findUndoable(services, trx, actor.id, id)
        const link = await findChangeLink(trx, { userId: actor.id, notificationId: id }, now())
        if (link) await consumeOwnerLink(trx, link)
        return undoEvent(services, trx, { account, notification, change: link?.change, source, by: 'session' })
      }),
    )
  } catch (error) {
    if (isDuplicate(error, 'users.email')) refuseTakenEmail()
    throw error
  }
}

async function findUndoable(
  { now }: Pick<IdentityServices, 'now'>,
  db: Reader,
  userId: string,
  id: string,
): Promise<SecurityNotification> {
  const found = await findSecurityNotification(db, userId, id)
  if (found === undefined) return refuse(notificationErrors.no_such_notification())
  if (found === null) return refuse(notMeErrors.nothing_to_undo())
  if (found.undoneAt !== null) return refuse(notMeErrors.undone_already())
  if (now() >= found.createdAt + LINK_LIFETIMES_MS.not_me) return refuse(notMeErrors.too_late_to_undo())
  return found
}
