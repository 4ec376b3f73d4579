import type { Reader, Trx } from '../../storage/database.ts'
import { ATTENTION_REASONS, type AttentionReason } from '../../vocabulary/host-attention.ts'

export interface Attention {
  reason: AttentionReason
  since: number
}

/** When this reason was found the last time; undefined while the host has not this one. */
export async function findAttention(
  db: Reader,
  hostId: string,
  reason: AttentionReason,
): Promise<{ lastAt: number } | undefined> {
  const row = await db
    .selectFrom('ssh_host_attention')
    .select('last_at')
    .where('host_id', '=', hostId)
    .where('reason', '=', reason)
    .executeTakeFirst()
  return row && { lastAt: row.last_at }
}

/** The most urgent reason of each of these hosts that has one. */
export async function listAttention(db: Reader, hostIds: string[]): Promise<Map<string, Attention>> {
  if (hostIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('ssh_host_attention')
    .select(['host_id', 'reason', 'since'])
    .where('host_id', 'in', hostIds)
    .execute()
  const byUrgency = rows.toSorted((a, b) => ATTENTION_REASONS.indexOf(b.reason) - ATTENTION_REASONS.indexOf(a.reason))
  return new Map(byUrgency.map(({ host_id, reason, since }) => [host_id, { reason, since }]))
}

/** True for the one who finds it first, on all replicas. The caller has seen that there is such a host. */
export async function addAttention(
  trx: Trx,
  { hostId, reason, at }: { hostId: string; reason: AttentionReason; at: number },
): Promise<boolean> {
  const added = await trx
    .insertInto('ssh_host_attention')
    .values({ host_id: hostId, reason, since: at, last_at: at })
    .onConflict((conflict) => conflict.columns(['host_id', 'reason']).doNothing())
    .returning('host_id')
    .execute()
  if (added.length > 0) return true
  await trx
    .updateTable('ssh_host_attention')
    .set({ last_at: at })
    .where('host_id', '=', hostId)
    .where('reason', '=', reason)
    .execute()
  return false
}

/** With `before`, only what was not found since then. */
export async function deleteAttention(
  trx: Trx,
  { hostId, reasons, before }: { hostId: string; reasons?: readonly AttentionReason[]; before?: number },
): Promise<void> {
  await trx
    .deleteFrom('ssh_host_attention')
    .where('host_id', '=', hostId)
    .$if(reasons !== undefined, (query) => query.where('reason', 'in', reasons ?? []))
    .$if(before !== undefined, (query) => query.where('last_at', '<', before ?? 0))
    .execute()
}
