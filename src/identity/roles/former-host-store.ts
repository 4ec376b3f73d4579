import { sql, type SqlBool } from 'kysely'
import type { Trx } from '../../storage/database.ts'
import type { CheckedTrx } from './checked-trx.ts'

/** Sites behind a proxy, and hosts that people log in to over SSH. */
type HostKind = 'site' | 'ssh'

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
export async function rememberHosts(trx: CheckedTrx, { kind, hosts, admission, now }: Leaving): Promise<void> {
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

/** Hosts with one of these names, on whatever port. No name ends in a colon, so the digits behind one are a port. */
export const isHostNamed = (names: readonly string[]) =>
  sql<SqlBool>`(host in (${sql.join(names)}) or rtrim(host, '0123456789') in (${sql.join(names.map((name) => `${name}:`))}))`

/** What hosts with these names were, on whatever port, as far as it is remembered: JSON of what `rememberHosts` was given. */
export async function findFormerHosts(
  trx: Trx,
  { kind, names, now }: { kind: HostKind; names: readonly string[]; now: number },
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map()
  const rows = await trx
    .selectFrom('former_hosts')
    .select(['host', 'admission'])
    .where('kind', '=', kind)
    .where(isHostNamed(names))
    .where('kept_until', '>', now)
    .execute()
  return new Map(rows.map(({ host, admission }) => [host, admission]))
}
