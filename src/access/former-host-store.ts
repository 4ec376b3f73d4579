import type { Trx } from '../storage/database.ts'
import type { JudgedTrx } from './judged-trx.ts'

/** Sites behind a proxy, and hosts that people log in to over SSH. */
export type HostKind = 'site' | 'ssh'

/** For how long a host is compared with what it was. Longer than anybody waits who wants to come in by a new site. */
const KEPT_MS = 90 * 24 * 3_600_000

interface Leaving {
  kind: HostKind
  hosts: readonly string[]
  /** What decided about who is let in there. */
  admission: unknown
  now: number
}

/** Remembers what hosts were whose site or SSH host is deleted or moved. The last memory counts. */
export async function rememberHosts(trx: JudgedTrx, { kind, hosts, admission, now }: Leaving): Promise<void> {
  if (hosts.length === 0) return
  const packed = JSON.stringify(admission)
  await trx
    .insertInto('former_hosts')
    .values(hosts.map((host) => ({ kind, host, admission: packed, kept_until: now + KEPT_MS })))
    .onConflict((conflict) =>
      conflict.columns(['kind', 'host']).doUpdateSet({ admission: packed, kept_until: now + KEPT_MS }),
    )
    .execute()
}

/** What these hosts were, as far as it is remembered. */
export async function findFormerHosts(
  trx: Trx,
  { kind, hosts, now }: Omit<Leaving, 'admission'>,
): Promise<Map<string, unknown>> {
  if (hosts.length === 0) return new Map()
  const rows = await trx
    .selectFrom('former_hosts')
    .select(['host', 'admission'])
    .where('kind', '=', kind)
    .where('host', 'in', [...hosts])
    .where('kept_until', '>', now)
    .execute()
  return new Map(rows.map(({ host, admission }) => [host, JSON.parse(admission) as unknown]))
}
