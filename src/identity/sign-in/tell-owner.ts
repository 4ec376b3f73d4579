import type { Actor } from '../../platform/audit/record-event.ts'
import { securityMail } from '../../platform/mail/messages.ts'
import { queueMail } from '../../platform/mail/queue-mail.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { notifyOfSecurity, type SecurityEvent } from '../notifications/notify.ts'
import { readNames } from '../users/settings-store.ts'
import { issueEmailToken } from './email-tokens.ts'
import { countNotMeLinks } from './owner-links.ts'

export type TellServices = Pick<Services, 'config' | 'now' | 'random' | 'signals' | 'vault'>

export type OwnerEvent = SecurityEvent & {
  /** Who did it: the owner, as it seems, or an administrator. */
  actor: Pick<Actor, 'id' | 'source'>
}

/** A mail that is sent anyway, and to the same address instead of a second one. */
interface OwnMail {
  to: string
  queue(notMeToken: string | undefined): Promise<void>
}

/**
 * Tells the owner of an account what happened to its security, in the transaction in which it happened: in the dashboard, and by mail to the
 * address that was confirmed before. With the link in the mail the owner says that it was somebody else, and undoes it. Nobody has
 * proved to read mail at an address that was never confirmed, so nothing is sent there.
 */
export async function tellOwner(
  services: TellServices,
  trx: Trx,
  userId: string,
  { actor, ...event }: OwnerEvent,
  ownMail?: OwnMail,
): Promise<void> {
  const notified = await notifyOfSecurity(services, trx, userId, event)
  const to = notified?.account.confirmedEmail ?? null
  if (!notified || to === null || (await isFlood(services, trx, userId))) return ownMail?.queue(undefined)
  const { user } = notified.account
  const about = { notificationId: notified.id }
  const token = await issueEmailToken(services, trx, 'not_me', { id: userId, email: to }, { about })
  if (to === ownMail?.to) return ownMail.queue(token)
  await ownMail?.queue(undefined)
  const names = await readNames(trx, services.config, user)
  const mail = securityMail(names, to, token, {
    type: event.type,
    name: 'name' in event.data ? event.data.name : undefined,
    isConditional: 'conditional' in event.data,
    at: services.now(),
    account: user.email,
    source: actor.id === userId ? actor.source : null,
  })
  return queueMail(services, trx, mail)
}

const HOUR_MS = 3_600_000
const MAX_IN_AN_HOUR = 100

/** Somebody who adds and removes keys without end would keep the mails of everybody else waiting. */
const isFlood = async ({ now }: TellServices, trx: Trx, userId: string): Promise<boolean> =>
  (await countNotMeLinks(trx, userId, now() - HOUR_MS)) >= MAX_IN_AN_HOUR
