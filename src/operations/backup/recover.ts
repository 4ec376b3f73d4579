import { sql } from 'kysely'
import { notifyEach } from '../../identity/notifications/notify.ts'
import { beginChain } from '../../identity/receipts/proof-store.ts'
import { listAdministratorIds } from '../../identity/roles/administrators.ts'
import { recordEvent, THE_SERVICE } from '../../platform/audit/record-event.ts'
import { skipKeyNumbers } from '../../platform/keys/service-key-store.ts'
import { giveUpRestored } from '../../platform/outbox/give-up-waiting.ts'
import type { Services } from '../../platform/services.ts'
import { skipNumbers } from '../../ssh/accounts/account-store.ts'
import { giveUpAllHosts } from '../../ssh/hosts/told-host-store.ts'
import { skipSerials, revokeAllCertificates, type SkippedSerials } from '../../ssh/revocation/revoke-certificates.ts'
import type { Database, Reader, Trx } from '../../storage/database.ts'
import { deleteInSlices } from '../../storage/delete-in-slices.ts'
import type { Schema } from '../../storage/schema.ts'

type RecoveryServices = Pick<Services, 'db' | 'now' | 'signals'>

export interface Recovered {
  /** When the backup was made, if that is known. Stored under this name in the audit trail and in notifications. */
  copiedAt: number | null
  serials: SkippedSerials
  /** Absent when access was kept. */
  ended: { sessions: number; authorizations: number; tokens: number; links: number; certificates: number } | undefined
  /** What was still to be told to webhooks and applications. */
  givenUp: number
  /** How many overdue plans to enable an account were cancelled. */
  cancelled: number
  pending: number
}

/**
 * Makes data from a backup safe to serve. No serial is issued twice, and access that was ended after the backup was made
 * does not come back: since the backup does not hold what that was, all access ends, unless it is to be kept. Nobody is told what
 * had happened before the backup, and proofs that were made after it are not continued: another chain begins.
 * Running it twice does no harm. It works in several transactions, so that a large database runs into no time limit.
 */
export async function recover(
  services: RecoveryServices,
  { copiedAt, keepAccess }: { copiedAt?: number; keepAccess: boolean },
): Promise<Recovered> {
  const { db, signals } = services
  const since = copiedAt ?? (await findLastEventTime(db.read)) ?? null
  const serials = await db.transaction(async (trx) => {
    await skipKeyNumbers(trx, services.now())
    await endEnrollments(trx)
    await skipNumbers(trx)
    return skipSerials(services, trx)
  })
  await deleteAllRows(db, 'passkey_challenges', 'id')
  await deleteAllRows(db, 'waiting_sign_ins', 'id')
  await deleteAllRows(db, 'oauth_pending_requests', 'id_hash')
  const ended = keepAccess ? undefined : await endAllAccess(services)
  const givenUp = await giveUpRestored(db, services.now())
  return db.transaction(async (trx) => {
    // Overdue actions ran or were cancelled in the lost time, and would run again at the next start. Disabling an account
    // twice does no harm; enabling one must be decided again.
    const cancelled = await markOverdueEnablesCancelled(trx, services.now())
    const pending = await countPendingActions(trx)
    await giveUpAllHosts(trx, services.now())
    await beginChain(trx, services.now())
    await markAllGrantsUntold(trx)
    await recordEvent(services, trx, {
      action: 'service.restored',
      outcome: 'success',
      actor: THE_SERVICE,
      data: {
        copiedAt: since,
        keptAccess: keepAccess,
        firstSerial: String(serials.first),
        lastSerial: String(serials.last),
        ended,
        givenUp,
        cancelled,
      },
    })
    const about = { type: 'service.restored', data: { copiedAt: since, keptAccess: keepAccess } } as const
    await notifyEach(services, trx, await listAdministratorIds(trx), [about])
    await signals.emit(trx, 'resync', null)
    return { copiedAt: since, serials, ended, givenUp, cancelled, pending }
  })
}

/** Tokens end with their authorization; those of the client credentials grant have none and are deleted themselves. */
async function endAllAccess(services: RecoveryServices): Promise<Recovered['ended']> {
  const { db } = services
  const sessions = await deleteAllRows(db, 'sessions', 'token_hash')
  const authorizations = await deleteAllRows(db, 'oauth_authorization_codes', 'code_hash')
  const tokens = await deleteAllRows(db, 'oauth_access_tokens', 'token_hash')
  const refreshing = await deleteAllRows(db, 'oauth_refresh_tokens', 'token_hash')
  // One that was ended after the backup was made would work again.
  await deleteAllRows(db, 'app_passwords', 'id')
  // So would a recovery code; the app itself stays.
  await deleteAllRows(db, 'recovery_codes', 'user_id, code_hash')
  // A link that was used or replaced after the backup was made would work again.
  const links = await deleteAllRows(db, 'email_tokens', 'token_hash')
  await deleteAllRows(db, 'reset_requests', 'id')
  await deleteAllRows(db, 'known_browsers', 'token_hash')
  await deleteAllRows(db, 'outgoing_mail', 'id')
  const certificates = await revokeAllCertificates(services, 'A backup was restored.')
  return { sessions, authorizations, tokens: tokens + refreshing, links, certificates }
}

/** The time of the newest audit event. */
async function findLastEventTime(db: Reader): Promise<number | undefined> {
  const { at } = await db
    .selectFrom('audit_events')
    .select(({ fn }) => fn.max<number | null>('at').as('at'))
    .executeTakeFirstOrThrow()
  return at ?? undefined
}

/** Deletes every row, in slices without a pause between them: the service is not running. Returns how many. */
const deleteAllRows = (db: Database, table: keyof Schema, key: string): Promise<number> =>
  deleteInSlices(db, { table, key, where: sql<boolean>`1 = 1`, rows: 2000, pauseMs: 0 })

async function countPendingActions(db: Reader): Promise<number> {
  const { pending } = await db
    .selectFrom('lifecycle_actions')
    .select(({ fn }) => fn.countAll<number>().as('pending'))
    .where('status', 'in', ['pending', 'running'])
    .executeTakeFirstOrThrow()
  return pending
}

/** Lines that enroll hosts stop working: they may have been used, or replaced, after the backup was made. */
async function endEnrollments(trx: Trx): Promise<void> {
  await trx.updateTable('ssh_hosts').set({ enrollment_hash: null, enrollment_expires_at: null }).execute()
}

/** Applications may have got something after the backup was made: they are told of everybody whose access ends from now on. */
async function markAllGrantsUntold(trx: Trx): Promise<void> {
  await trx.updateTable('oauth_grants').set({ untold: 1 }).where('untold', '=', 0).execute()
}

/** Cancels the plans to enable an account that are due. Returns how many. */
async function markOverdueEnablesCancelled(trx: Trx, now: number): Promise<number> {
  const rows = await trx
    .updateTable('lifecycle_actions')
    .set({ status: 'cancelled', finished_at: now })
    .where('status', 'in', ['pending', 'running'])
    .where('execute_at', '<=', now)
    .where('action', '=', 'enable')
    .returning('id')
    .execute()
  return rows.length
}
