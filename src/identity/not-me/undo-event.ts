import { Type } from 'typebox'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { Nullable } from '../../platform/http/contracts.ts'
import type { RequestSource } from '../../platform/http/request-source.ts'
import { resetMailAfterUndoing } from '../../platform/mail/messages.ts'
import { queueMail } from '../../platform/mail/queue-mail.ts'
import type { Trx } from '../../storage/database.ts'
import { LINKS_TO_ADDRESS } from '../../vocabulary/link-purposes.ts'
import { NOTIFICATION_TYPES, isSecurityEvent, type SecurityEventType } from '../../vocabulary/notification-types.ts'
import { type Addition, type Ending, type IdentityServices, publish } from '../access-events.ts'
import { restoreAddress, type Restored } from '../account/revert-email.ts'
import { markUndone, type SecurityNotification } from '../notifications/notification-store.ts'
import { type NotificationData, notifyAdministrators } from '../notifications/notify.ts'
import { listPasskeys } from '../passkeys/passkey-store.ts'
import { endSessionsOfUsers } from '../sessions/end-sessions.ts'
import { updatePasswordHash } from '../sign-in/change-password.ts'
import { deleteEmailTokens, type EmailLink, issueEmailToken } from '../sign-in/email-tokens.ts'
import { deleteKnownBrowsersOfUsers } from '../sign-in/known-browsers.ts'
import { readNames } from '../users/settings-store.ts'
import type { Account } from '../users/user-store.ts'

const Removal = Type.Object({
  kind: Type.Enum(['passkey', 'ssh_key', 'totp', 'certificate', 'email', 'grant']),
  name: Nullable(Type.String({ description: 'Of `email` the address that the account loses.' })),
  count: Type.Integer(),
})
type Removal = Type.Static<typeof Removal>

/** What saying that somebody else did it ends. */
export const Undone = Type.Object(
  {
    about: Type.Enum(NOTIFICATION_TYPES.filter(isSecurityEvent), { description: 'The type of the notification.' }),
    ends: Type.Object(
      { sessions: Type.Integer(), apps: Type.Integer(), appPasswords: Type.Integer() },
      { description: 'How many; `apps` are those that hold tokens.' },
    ),
    removes: Type.Array(Removal, { description: 'Empty also when what was added is gone already.' }),
    clearsPassword: Type.Boolean({ description: 'False when another password was set since.' }),
  },
  { title: 'Undone' },
)
export type Undone = Type.Static<typeof Undone>

/** What an event has added to the account. Whatever else gives access and can be added joins here, and in `Addition`. */
const ADDED: { [T in SecurityEventType]: ((data: NotificationData[T]) => Addition) | undefined } = {
  'security.passkey_added': ({ passkeyId }) => ({ kind: 'passkey', id: passkeyId }),
  'security.ssh_key_added': ({ sshKeyId }) => ({ kind: 'ssh_key', id: sshKeyId }),
  // Every app password ends, this one included.
  'security.app_password_added': undefined,
  // The link that restores an address removes what was added around that time.
  'security.email_changed': undefined,
  'security.app_password_removed': undefined,
  'security.passkey_removed': undefined,
  'security.password_changed': undefined,
  'security.password_reset_sent': undefined,
  'security.session_ended': undefined,
  'security.signed_out': undefined,
  'security.new_login': undefined,
  'security.totp_added': ({ since }) => ({ kind: 'totp', id: String(since) }),
  'security.totp_removed': undefined,
  'security.recovery_code_used': undefined,
}

export interface Disowned {
  account: Account
  /** Undefined for a link of an earlier version: it is about an address that was changed. */
  notification: SecurityNotification | undefined
  /** What restores an address that was changed. */
  change: EmailLink | undefined
  source: RequestSource
  /** The link in a mail, or a signed-in session. */
  by: 'link' | 'session'
}

/**
 * Undoes what is still in force of an event that the owner of an account did not cause, and everything that whoever did may have
 * open: sessions, tokens, app passwords, the password that was set then. Call it with the account locked. It gives nobody access:
 * the owner gets a mail to set a new password, at the address of the account.
 */
export async function undoEvent(services: IdentityServices, trx: Trx, disowned: Disowned): Promise<Undone> {
  const { account, notification, change, source, by } = disowned
  const { id: userId, email, displayName } = account.user
  const about = notification?.type ?? 'security.email_changed'
  if (notification) await markUndone(trx, userId, notification.id, services.now())
  // The rows of the administrators come before that of the revocations, as where an account is disabled.
  const actorId = by === 'link' ? null : userId
  await notifyAdministrators(services, trx, [
    { type: 'user.not_me', data: { userId, email, displayName, actorId, about } },
  ])
  const hadPassword = account.passwordHash !== null
  const clearsPassword = hadPassword && (!!change || notification?.passwordNumber === account.passwordNumber)
  const restored = change && (await restoreAddress(services, trx, change, { source, by: 'not_me' }))
  const ended = restored ?? (await endEverything(services, trx, disowned, clearsPassword))
  const addition = notification && additionOf(notification)
  const removed = addition && (await publish(services, trx, 'addition_disowned', { userId, addition }))
  if (!restored && !(await hasWayIn(trx, account, clearsPassword))) await mailReset(services, trx, account)
  const undone: Undone = {
    about,
    ends: { sessions: ended.sessions, apps: ended.tokens ?? 0, appPasswords: ended.appPasswords ?? 0 },
    removes: [
      ...(restored ? [{ kind: 'email' as const, name: email, count: 1 }] : []),
      ...listRemovals(disowned, { ...restored, ...removed }),
    ],
    clearsPassword,
  }
  await recordEvent(services, trx, {
    action: 'user.not_me',
    outcome: 'success',
    actor: { id: userId, email, source },
    target: { type: 'user', id: userId },
    data: { ...undone, by, ...(notification ? { notificationId: notification.id } : {}) },
  })
  return undone
}

/** API keys end here too, by this event. */
async function endEverything(
  services: IdentityServices,
  trx: Trx,
  { account }: Disowned,
  clearsPassword: boolean,
): Promise<Ending<'signed_out'> & { sessions: number }> {
  const { id: userId } = account.user
  if (clearsPassword) await updatePasswordHash(trx, userId, null)
  await deleteEmailTokens(trx, userId, LINKS_TO_ADDRESS)
  await deleteKnownBrowsersOfUsers(trx, [userId])
  const sessions = (await endSessionsOfUsers(services, trx, [userId])).get(userId) ?? 0
  const ended = await publish(services, trx, 'signed_out', { userId, by: 'not_me', keepsPassword: !clearsPassword })
  return { ...ended, sessions }
}

const additionOf = ({ type, data }: SecurityNotification): Addition | undefined =>
  // The data is that of the type, as it was stored.
  (ADDED[type] as ((data: unknown) => Addition) | undefined)?.(data)

const hasWayIn = async (trx: Trx, { user, passwordHash }: Account, clearsPassword: boolean): Promise<boolean> =>
  !clearsPassword && (passwordHash !== null || (await listPasskeys(trx, user.id)).length > 0)

async function mailReset(services: IdentityServices, trx: Trx, { user }: Account): Promise<void> {
  const token = await issueEmailToken(services, trx, 'reset', user)
  await queueMail(services, trx, resetMailAfterUndoing(await readNames(trx, services.config, user), user.email, token))
}

function listRemovals(
  { notification }: Disowned,
  { passkeys, sshKeys, secondSteps, certificates, grants }: Partial<Restored> & Ending<'addition_disowned'>,
): Removal[] {
  const name = typeof notification?.data['name'] === 'string' ? notification.data['name'] : null
  const removals: Removal[] = [
    { kind: 'passkey', name, count: passkeys ?? 0 },
    { kind: 'ssh_key', name, count: sshKeys ?? 0 },
    { kind: 'totp', name: null, count: secondSteps ?? 0 },
    { kind: 'certificate', name: null, count: certificates ?? 0 },
    { kind: 'grant', name: null, count: grants ?? 0 },
  ]
  return removals.filter(({ count }) => count > 0)
}
