import { sql } from 'kysely'
import { refuse, atField } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx, Database, Reader } from '../../storage/database.ts'
import { deleteInSlices } from '../../storage/delete-in-slices.ts'
import type { Schema } from '../../storage/schema.ts'
import { type IdentityServices, usernameLossChecks } from '../access-events.ts'
import { NOTHING_ENDED, type Ended } from '../receipts/receipt.ts'
import { refuseLastAdministrator } from '../roles/administrators.ts'
import { withoutEscalation } from '../roles/escalation.ts'
import { refuseIfHoldsMore } from '../roles/holdings.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { administer } from '../sessions/administer.ts'
import { sessionErrors } from '../sessions/session-errors.ts'
import type { SignedIn } from '../sessions/session.ts'
import { isProofCurrent, refuseUntilReset, withProof } from '../sign-in/prove-owner.ts'
import type { SignInSource } from '../sign-in/sign-in-source.ts'
import { normalizeEmail } from '../users/email-address.ts'
import { lockAccount } from '../users/lock-user.ts'
import { retireUsername } from '../users/retired-usernames.ts'
import { userErrors } from '../users/user-errors.ts'
import type { User } from '../users/user.ts'
import { lifecycleErrors } from './lifecycle-errors.ts'
import { revokeAccess } from './revoke-access.ts'

type DeletionServices = Pick<IdentityServices, 'db' | 'now' | 'signals' | 'blobs' | 'log' | 'accessSubscribers'>

/** The request waits this long at most for the removal of the rest; `removeDeletedUsers` continues it. */
const MAX_REMOVAL_MS = 500

/**
 * Deletes an account for good, with everything that belongs to it. The certificate log and the audit trail stay. One
 * transaction ends all access and hides the account; the rest of its rows is deleted in slices afterwards.
 */
export async function deleteUser(services: DeletionServices, userId: string, actor: SignedInActor): Promise<Ended> {
  const ended = await administer(services, actor, async (trx, held) => {
    const { user } = (await lockAccount(trx, userId)) ?? refuse(userErrors.no_such_user())
    await refuseIfHoldsMore(trx, held, userId, 'access')
    if (userId === held.userId) refuse(lifecycleErrors.own_account_not_deleted())
    const checks = await usernameLossChecks(services, trx, user.preferredUsername)
    return withoutEscalation(trx, held, checks, () => hideAccount(services, trx, { user, actor, by: 'deleted' }))
  })
  await removeRest(services, userId)
  return ended
}

interface DeleteOwnRequest {
  /** Has to be that of the account, so that nobody deletes another one by mistake. */
  email: string
  currentPassword?: string
  source: SignInSource
  signedIn: SignedIn
}

/** Deletes the actor's own account, with the proof that an open session is not enough for. */
export async function deleteOwnAccount(
  services: IdentityServices,
  { email, ...proof }: DeleteOwnRequest,
  actor: SignedInActor,
): Promise<Ended> {
  if (normalizeEmail(email) !== actor.email) refuse(atField('email', lifecycleErrors.not_your_email()))
  const ended = await withProof(services, { actor, currentPassword: undefined, ...proof }, (proved) =>
    administer(services, actor, async (trx) => {
      const account = (await lockAccount(trx, actor.id)) ?? refuse(sessionErrors.not_signed_in())
      if (!(await isProofCurrent(trx, actor.id, proved))) return undefined
      refuseUntilReset(account)
      return hideAccount(services, trx, { user: account.user, actor, by: 'deleted_by_owner' })
    }),
  )
  await removeRest(services, actor.id)
  return ended
}

/** Ends all access, and makes the account one that is not found any more. The caller has locked it. */
async function hideAccount(
  services: DeletionServices,
  trx: Trx,
  { user, actor, by }: { user: User; actor: SignedInActor; by: 'deleted' | 'deleted_by_owner' },
): Promise<Ended> {
  const { id: userId, email, preferredUsername } = user
  await refuseLastAdministrator(trx, [userId])
  const ended = (await revokeAccess(services, trx, [userId], { by })).get(userId) ?? NOTHING_ENDED
  await markDeleted(trx, userId, services.now())
  await retireUsername(trx, { username: preferredUsername, userId, now: services.now() })
  await recordEvent(services, trx, {
    action: 'user.deleted',
    outcome: 'success',
    actor,
    target: { type: 'user', id: userId },
    data: { email, ended },
  })
  return ended
}

const removeRest = (services: DeletionServices, userId: string): Promise<void> =>
  removeDeletedUser(services, userId, AbortSignal.timeout(MAX_REMOVAL_MS)).catch((error: unknown) =>
    services.log.warn({ err: error }, 'A deleted user is not removed yet; it is tried again.'),
  )

type RemovalServices = Pick<Services, 'db' | 'blobs' | 'log'>

/** Users in one run. The others wait for the next run. */
const BATCH = 10

/** Removes what is left of deleted accounts, also when the process that deleted them has died since. */
export async function removeDeletedUsers(services: RemovalServices, stop: AbortSignal): Promise<void> {
  for (const id of await listDeletedUserIds(services.db.read, BATCH)) {
    if (!stop.aborted) await removeDeletedUser(services, id, stop)
  }
}

/** The user's own row is deleted last: until then the next run finds it. */
async function removeDeletedUser({ db, blobs, log }: RemovalServices, id: string, stop: AbortSignal): Promise<void> {
  // No account refers to these pictures any more. The job `sweep-pictures` collects those that can't be deleted now.
  await blobs
    .deleteFolder(id)
    .catch((error: unknown) =>
      log.warn({ err: error }, 'The avatars of a deleted user could not be deleted; they are deleted later.'),
    )
  await deleteRowsOfUser(db, id, stop)
  if (!stop.aborted) await db.transaction((trx) => deleteMarkedUser(trx, id))
}

/**
 * Frees the email, passkeys and SSH keys for others, and removes all personal data from the row. The row counts as disabled,
 * and planned actions are deleted, so that nothing enables it again.
 */
async function markDeleted(trx: Trx, id: string, now: number): Promise<void> {
  const unique = `deleted:${id}`
  await trx
    .updateTable('users')
    .set({
      deleted_at: now,
      disabled_at: now,
      email: unique,
      preferred_username: unique,
      confirmed_email: null,
      password_hash: null,
      totp_sealed: null,
      totp_since: null,
      display_name: null,
      given_name: null,
      family_name: null,
      avatar_version: null,
    })
    .where('id', '=', id)
    .execute()
  const tables = [
    'user_roles',
    'passkeys',
    'passkey_challenges',
    'totp_used_steps',
    'recovery_codes',
    'waiting_sign_ins',
    'ssh_keys',
    'email_tokens',
    'lifecycle_actions',
  ] as const
  for (const table of tables) {
    await trx.deleteFrom(table).where('user_id', '=', id).execute()
  }
  trx.signal('access-changed', null)
}

/** Deleted accounts whose rows have not been removed yet. */
async function listDeletedUserIds(db: Reader, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    // Written like the condition of the partial index, which serves it.
    .where(sql<boolean>`deleted_at is not null`)
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Tables in which one user can have any number of rows. The few rows of other tables go with the user's own row. */
const LARGE_TABLES: { table: keyof Schema; key: string; orderBy: string }[] = [
  { table: 'notifications', key: 'user_id, id', orderBy: 'id' },
  { table: 'oauth_authorization_codes', key: 'code_hash', orderBy: 'client_id' },
  { table: 'oauth_grants', key: 'user_id, client_id', orderBy: 'client_id' },
  { table: 'known_browsers', key: 'token_hash', orderBy: 'created_at' },
  { table: 'known_devices', key: 'user_id, device_hash', orderBy: 'device_hash' },
]
const SLICE = 500
const PAUSE_MS = 2

/** Deletes the user's rows in the large tables, a slice at a time. */
async function deleteRowsOfUser(db: Database, id: string, stop: AbortSignal): Promise<void> {
  for (const each of LARGE_TABLES) {
    const where = sql<boolean>`user_id = ${id}`
    await deleteInSlices(db, { ...each, where, rows: SLICE, pauseMs: PAUSE_MS, stop })
  }
}

/** Deletes the row of an account that was marked as deleted. */
async function deleteMarkedUser(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom('users').where('id', '=', id).where('deleted_at', 'is not', null).execute()
}
