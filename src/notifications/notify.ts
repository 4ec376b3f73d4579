import { idsAfter } from '../ids.ts'
import type { Services } from '../services.ts'
import { rowInserter } from '../storage/row-inserter.ts'
import type { Trx } from '../storage/schema.ts'
import { emitForUsers } from '../storage/signals.ts'
import { statementForMany } from '../storage/statement-for-many.ts'
import { holdUsers } from '../users/hold-account.ts'

/** What people are told about, and what each kind carries. */
export interface NotificationData {
  'security.passkey_added': { passkeyId: string; name: string }
  'security.passkey_removed': { passkeyId: string; name: string }
  'security.password_changed': Record<string, never>
  'security.new_login': { ipAddress: string; userAgent: string | null; country: string | null; city: string | null }
  'oauth.grant_added': { client_id: string; name: string; scopes: string[] }
  'ssh.cert_issued': { certificateId: string; serial: string; keyId: string }
  /** For administrators: everything is as it was then, except for what the restore ended. */
  'service.restored': { copiedAt: number | null; keptAccess: boolean }
  'user.disabled': AboutUser
  'user.enabled': AboutUser
  /** For administrators: a planned action was not carried out, and will not be. `actorId` planned it. */
  'lifecycle.failed': AboutUser & { lifecycleActionId: string; action: 'enable' | 'disable'; reason: string }
  /** For administrators: somebody who was disabled has planned so many actions that are still to come. */
  'lifecycle.planner_disabled': AboutUser & { pending: number }
  /** For administrators: a mail was not delivered, and will not be. */
  'mail.failed': { recipient: string; subject: string; reason: string }
}

interface AboutUser {
  userId: string
  email: string
  displayName: string | null
  actorId: string | null
}

export type NotificationType = keyof NotificationData

type Needs = Pick<Services, 'now' | 'signals'>

/** Tells one person something, as part of the change that it is about: both happen or neither. */
export const notify = <T extends NotificationType>(
  services: Needs,
  trx: Trx,
  userId: string,
  type: T,
  data: NotificationData[T],
): Promise<void> => notifyEach(services, trx, [userId], [{ type, data } as Message])

/** A kind and what it carries, as a pair that fits. */
export type Message = { [T in NotificationType]: { type: T; data: NotificationData[T] } }[NotificationType]

const insertNotifications = rowInserter('notifications', ['id', 'user_id', 'type', 'data', 'created_at', 'read_at'])

const lastIds = statementForMany((db, userIds) =>
  db
    .selectFrom('users')
    .select('users.id as userId')
    .select((eb) =>
      eb
        .selectFrom('notifications')
        .select((of) => of.fn.max('notifications.id').as('last'))
        .whereRef('notifications.user_id', '=', 'users.id')
        .as('last'),
    )
    .where('users.id', 'in', userIds),
)

/** Tells several people the same things. */
export const notifyEach = (services: Needs, trx: Trx, userIds: string[], messages: Message[]): Promise<void> =>
  notifyPeople(
    services,
    trx,
    userIds.flatMap((userId) => messages.map((message) => ({ userId, message }))),
  )

/**
 * Tells several people something each. Ids are given out while the person's row is held, and each stands behind the one
 * before it. So their order is the order of commits: a stream that has seen one has seen all before it.
 */
export async function notifyPeople(
  { now, signals }: Needs,
  trx: Trx,
  told: { userId: string; message: Message }[],
): Promise<void> {
  const toldTo = Map.groupBy(told, ({ userId }) => userId)
  const userIds = await holdUsers(trx, [...toldTo.keys()])
  const latest = await lastIds(trx, userIds, {})
  const rows = latest.flatMap(({ userId, last }) => {
    const nextId = idsAfter(last)
    return (toldTo.get(userId) ?? []).map(({ message: { type, data } }) => ({
      id: nextId(),
      user_id: userId,
      type,
      data: JSON.stringify(data),
      created_at: now(),
      read_at: null,
    }))
  })
  await insertNotifications(trx, rows)
  await emitForUsers(signals, trx, 'notifications', userIds)
}
