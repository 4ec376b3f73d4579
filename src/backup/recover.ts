import { listAdministratorIds } from '../access/administrators.ts'
import { recordEvent, THE_SERVICE } from '../audit/record-event.ts'
import { skipKeyNumbers } from '../keys/service-key-store.ts'
import { notifyEach } from '../notifications/notify.ts'
import type { Services } from '../services.ts'
import { type SkippedSerials, skipSerials } from '../ssh/certificates/skip-serials.ts'
import { revokeAllCertificates } from '../ssh/revocation/revoke-certificates.ts'
import { countPendingActions, deleteAllRows, findLastEventTime, markOverdueEnablesCancelled } from './recovery-store.ts'

type Needs = Pick<Services, 'db' | 'now' | 'signals'>

export interface Recovered {
  /** When the copy was made, as far as that is known. */
  copiedAt: number | null
  serials: SkippedSerials
  /** Absent when access was kept. */
  ended: { sessions: number; authorizations: number; tokens: number; links: number; certificates: number } | undefined
  /** Plans to enable an account that fell due meanwhile, and that nobody carries out now. */
  cancelled: number
  pending: number
}

/**
 * Makes data of an earlier time safe to serve again. No serial comes twice, and what was ended after the copy was made
 * does not come back with it: since the copy can't tell what that was, everything ends, unless access is to be kept.
 * Doing it again does no harm. It is done in steps, so that a large copy neither waits for a lock nor runs into a limit.
 */
export async function recover(
  services: Needs,
  { copiedAt, keepAccess }: { copiedAt?: number; keepAccess: boolean },
): Promise<Recovered> {
  const { db, signals } = services
  const since = copiedAt ?? (await findLastEventTime(db.read))
  const serials = await db.transaction(async (trx) => {
    await skipKeyNumbers(trx, services.now())
    return skipSerials(services, trx)
  })
  await deleteAllRows(db, 'passkey_challenges', 'id')
  await deleteAllRows(db, 'oauth_pending_requests', 'id_hash')
  const ended = keepAccess ? undefined : await endAllAccess(services)
  return db.transaction(async (trx) => {
    // Overdue actions ran or were cancelled in the lost time, and would run again at the next start. Disabling an account
    // twice does no harm; enabling one must be decided again.
    const cancelled = await markOverdueEnablesCancelled(trx, services.now())
    const pending = await countPendingActions(trx)
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
        cancelled,
      },
    })
    const about = { type: 'service.restored', data: { copiedAt: since, keptAccess: keepAccess } } as const
    await notifyEach(services, trx, await listAdministratorIds(trx), [about])
    await signals.emit(trx, 'resync', null)
    return { copiedAt: since, serials, ended, cancelled, pending }
  })
}

/** Tokens are dead without the authorization that they hang on; those of clients that act for themselves hang on none. */
async function endAllAccess(services: Needs): Promise<Recovered['ended']> {
  const { db } = services
  const sessions = await deleteAllRows(db, 'sessions', 'token_hash')
  const authorizations = await deleteAllRows(db, 'oauth_authorization_codes', 'code_hash')
  const tokens = await deleteAllRows(db, 'oauth_access_tokens', 'token_hash')
  const refreshing = await deleteAllRows(db, 'oauth_refresh_tokens', 'token_hash')
  // A link that was used or replaced after the copy was made would work again.
  const links = await deleteAllRows(db, 'email_tokens', 'token_hash')
  await deleteAllRows(db, 'reset_requests', 'id')
  await deleteAllRows(db, 'known_browsers', 'token_hash')
  await deleteAllRows(db, 'outgoing_mail', 'id')
  const certificates = await revokeAllCertificates(services, 'A backup was restored.')
  return { sessions, authorizations, tokens: tokens + refreshing, links, certificates }
}
