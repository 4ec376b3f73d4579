import { idsAfter } from '../../platform/ids.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { emitForUsers } from '../../storage/signals.ts'
import type { AttentionReason } from '../../vocabulary/host-attention.ts'
import type { NotificationType, SecurityEventType } from '../../vocabulary/notification-types.ts'
import type { ToldKind } from '../../vocabulary/receivers.ts'
import { listAdministratorIds } from '../roles/administrators.ts'
import { lockAccount, lockUser, lockUsers } from '../users/lock-user.ts'
import type { Account } from '../users/user-store.ts'
import {
  addNotification,
  addNotifications,
  findNewestId,
  listNewestIds,
  type StoredNotification,
} from './notification-store.ts'

/** The data of each type of notification. */
export interface NotificationData {
  'security.app_password_added': { appPasswordId: string; name: string; site: string }
  'security.app_password_removed': { appPasswordId: string; name: string }
  'security.email_changed': { from: string; to: string }
  /** `conditional`: the browser has made it by itself after a sign-in with the password. */
  'security.passkey_added': { passkeyId: string; name: string; conditional?: true }
  'security.passkey_removed': { passkeyId: string; name: string }
  'security.password_changed': Record<string, never>
  /** The next three: an administrator did it. */
  'security.password_reset_sent': Record<string, never>
  'security.session_ended': { sessionId: string; ipAddress: string; userAgent: string | null }
  'security.signed_out': Record<string, never>
  'security.new_login': { ipAddress: string; userAgent: string | null; country: string | null; city: string | null }
  'security.ssh_key_added': { sshKeyId: string; name: string; fingerprint: string }
  /** When it was added: which one it is. */
  'security.totp_added': { since: number }
  'security.totp_removed': Record<string, never>
  /** How many are left. */
  'security.recovery_code_used': { left: number }
  'oauth.grant_added': { client_id: string; name: string; scopes: string[] }
  /** A device that the person has let into the account, and where it sent its request from. */
  'oauth.device_approved': {
    client_id: string
    name: string
    scopes: string[]
    deviceName: string | null
    ipAddress: string
    country: string | null
    city: string | null
  }
  'ssh.cert_issued': { certificateId: string; serial: string; keyId: string }
  /** For those who manage hosts: one needs them, until that is resolved. */
  'ssh.host_attention': { hostId: string; name: string; reason: AttentionReason; since: number }
  /** For administrators: everything is as it was then, except for what the restore ended. */
  'service.restored': { copiedAt: number | null; keptAccess: boolean }
  'user.disabled': AboutUser
  'user.enabled': AboutUser
  /** For administrators: a person says that somebody else did what a notification was about. `actorId` is null for the link in a mail. */
  'user.not_me': AboutUser & { about: SecurityEventType }
  /** For administrators: a planned action was not carried out, and will not be. `actorId` planned it. */
  'lifecycle.failed': AboutUser & { lifecycleActionId: string; action: 'enable' | 'disable'; reason: string }
  /** For administrators: a person who was disabled has planned actions, and `pending` of them are still to come. */
  'lifecycle.planner_disabled': AboutUser & { pending: number }
  /** For administrators: a mail was not delivered, and will not be. */
  'mail.failed': { recipient: string; subject: string; reason: string }
  /** For administrators: somebody who is told of what ends has not answered since then. */
  'receiver.failing': {
    kind: ToldKind
    id: string
    name: string
    since: number
    error: string | null
    /** A webhook is turned off then. */
    turnedOff: boolean
  }
}

interface AboutUser {
  userId: string
  email: string
  displayName: string | null
  actorId: string | null
}

type NotifyServices = Pick<Services, 'now' | 'signals'>

/** Those of the security of an account are mailed as well, by `identity/sign-in/tell-owner.ts`. */
type PlainType = Exclude<NotificationType, SecurityEventType>

/** A type with its data. */
export type Message = { [T in PlainType]: { type: T; data: NotificationData[T] } }[PlainType]
export type SecurityEvent = {
  [T in SecurityEventType]: { type: T; data: NotificationData[T] }
}[SecurityEventType]

/** Adds a notification in the transaction of the change that it is about: both happen or neither. */
export async function notify<T extends PlainType>(
  services: NotifyServices,
  trx: Trx,
  userId: string,
  type: T,
  data: NotificationData[T],
): Promise<void> {
  const add = await prepareNotification(services, trx, userId)
  add({ type, data } as Message)
}

/**
 * The same for the security of an account. Remembers which password the account had then. Returns the id, with the account as it
 * was found; undefined when there is no such account.
 */
export async function notifyOfSecurity(
  { now, signals }: NotifyServices,
  trx: Trx,
  userId: string,
  event: SecurityEvent,
): Promise<{ id: string; account: Account } | undefined> {
  const [account, newestId] = [await lockAccount(trx, userId), await findNewestId(trx, userId)]
  if (!account) return undefined
  const id = idsAfter(newestId)()
  await emitForUsers(signals, trx, 'notifications', [userId])
  addNotification(trx, { ...toRow(id, userId, event, now()), password_number: account.passwordNumber })
  return { id, account }
}

/**
 * Does everything but the insert, and returns a function that inserts. For a message that can be written only under a lock
 * that other people wait for too: the rest is then done before that lock is taken.
 *
 * An id is made while the row of the person is locked, and is greater than the newest one. So the order of ids is the order
 * of commits: a stream that has sent one has sent all before it.
 */
export async function prepareNotification(
  { now, signals }: NotifyServices,
  trx: Trx,
  userId: string,
): Promise<(message: Message) => void> {
  const [exists, newestId] = await Promise.all([lockUser(trx, userId), findNewestId(trx, userId)])
  if (!exists) return () => {}
  const id = idsAfter(newestId)()
  // The signal is delivered at the commit, so it may be emitted before the insert.
  await emitForUsers(signals, trx, 'notifications', [userId])
  return (message) => addNotification(trx, toRow(id, userId, message, now()))
}

/** Rows in one insert: a statement has a limit on values, and on SQLite everything else waits for it. */
const MAX_ROWS = 100

/** Adds notifications for several people: the same for all, or those that `messages` returns for each. */
export async function notifyEach(
  { now, signals }: NotifyServices,
  trx: Trx,
  userIds: string[],
  messages: Message[] | ((userId: string) => Message[]),
): Promise<void> {
  const existing = await lockUsers(trx, userIds)
  if (existing.length === 0) return
  const messagesOf = typeof messages === 'function' ? messages : () => messages
  const rows = (await listNewestIds(trx, existing)).flatMap(({ userId, newestId }) => {
    const nextId = idsAfter(newestId)
    return messagesOf(userId).map((message) => toRow(nextId(), userId, message, now()))
  })
  if (rows.length === 0) return
  for (let at = 0; at < rows.length; at += MAX_ROWS) {
    await addNotifications(trx, rows.slice(at, at + MAX_ROWS))
  }
  await emitForUsers(signals, trx, 'notifications', existing)
}

const toRow = (
  id: string,
  userId: string,
  { type, data }: Message | SecurityEvent,
  at: number,
): StoredNotification => ({
  id,
  user_id: userId,
  type,
  data: JSON.stringify(data),
  created_at: at,
  read_at: null,
  password_number: 0,
})

/**
 * Notifies everyone who holds the administrator's role, in the transaction of the change that it is about: of the same, or
 * each of what `messages` returns for them.
 */
export const notifyAdministrators = async (
  services: Pick<Services, 'now' | 'signals'>,
  trx: Trx,
  messages: Message[] | ((administratorId: string) => Message[]),
): Promise<void> => {
  if (typeof messages === 'function' || messages.length > 0)
    await notifyEach(services, trx, await listAdministratorIds(trx), messages)
}
