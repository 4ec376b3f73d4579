import { notifyEach } from '../../identity/notifications/notify.ts'
import { listHolders } from '../../identity/roles/role-store.ts'
import { lockUsers } from '../../identity/users/lock-user.ts'
import type { Services } from '../../platform/services.ts'
import type { AttentionReason } from '../../vocabulary/host-attention.ts'
import { addAttention, deleteAttention, findAttention } from './host-attention-store.ts'
import { hasUnusedToken } from './host-credential-store.ts'
import { findHostById, lockHost } from './host-store.ts'

export type AttentionServices = Pick<Services, 'db' | 'now' | 'signals'>

/** How often it is written that a reason is still there. */
const AGAIN_MS = 60_000
/** A host tries its token again every minute: after so long nobody uses the one that was refused any more. */
const QUIET_MS = 10 * 60_000
/** A host that was given a new token may send the one before until it has stored it. */
const STORING_MS = 60_000
const MAX_NOTIFIED = 500

/**
 * Shows a host to administrators, and notifies those who manage hosts, once until it is resolved. People are locked before the row of
 * the host is touched, as when an administrator changes it.
 */
export async function raiseAttention(
  services: AttentionServices,
  { hostId, reason }: { hostId: string; reason: AttentionReason },
): Promise<void> {
  const { db, now } = services
  const known = await findAttention(db.read, hostId, reason)
  if (known && Math.abs(now() - known.lastAt) < AGAIN_MS) return
  if (!(await findHostById(db.read, hostId))) return
  await db.transaction(async (trx) => {
    const managers = await lockUsers(trx, await listHolders(trx, 'ssh:hosts:manage', MAX_NOTIFIED))
    const host = await lockHost(trx, hostId)
    if (!host || (reason === 'token_refused' && (await hasUnusedToken(trx, hostId, now() - STORING_MS)))) return
    const since = now()
    if (!(await addAttention(trx, { hostId, reason, at: since }))) return
    const data = { hostId, name: host.name, reason, since }
    await notifyEach(services, trx, managers, [{ type: 'ssh.host_attention', data }])
  })
}

/**
 * What a report of a host resolves. A token that was refused is forgotten when the host reports with one that works and nobody has used
 * the other for a while. That one was used after its successor is not: somebody else may have it, and only enrolling the host anew ends that.
 */
export async function noteReportedAttention(
  services: AttentionServices,
  { id: hostId, attention }: { id: string; attention: AttentionReason[] },
  { caRefused }: { caRefused?: boolean },
): Promise<void> {
  const { db, now } = services
  if (caRefused === true) await raiseAttention(services, { hostId, reason: 'ca_refused' })
  const isOver = caRefused === false && attention.includes('ca_refused')
  if (!isOver && !attention.includes('token_refused')) return
  await db.transaction(async (trx) => {
    if (isOver) await deleteAttention(trx, { hostId, reasons: ['ca_refused'] })
    await deleteAttention(trx, { hostId, reasons: ['token_refused'], before: now() - QUIET_MS })
  })
}
