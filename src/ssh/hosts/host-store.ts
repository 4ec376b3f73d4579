import { isDeepStrictEqual } from 'node:util'
import { type Selectable, sql } from 'kysely'
import type { CheckedTrx } from '../../identity/roles/checked-trx.ts'
import { type Position, toPage } from '../../platform/http/cursor.ts'
import { readTextList } from '../../storage/columns.ts'
import type { Database, Reader, Trx, WriteTarget } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { type Values, writeStatement } from '../../storage/statement.ts'
import { type AccountsReported, deleteSessionsOfHost } from './host-session-store.ts'
import type { AccountKind, StoredHost } from './host.ts'
import { giveUpHost } from './told-host-store.ts'

type Row = Selectable<Schema['ssh_hosts']> & { roles: string | null }

/** For a query of `ssh_hosts`, with `is_restricted` for `readAllowedRoles`. */
export const rolesOfHost = sql<
  string | null
>`(select string_agg(role_id, ' ') from ssh_host_roles where host_id = ssh_hosts.id)`.as('roles')

export const readAllowedRoles = ({ is_restricted, roles }: Pick<Row, 'is_restricted' | 'roles'>): string[] | null =>
  is_restricted === 1 ? (roles?.split(' ').toSorted() ?? []) : null

const hosts = (db: Reader) => db.selectFrom('ssh_hosts').selectAll().select(rolesOfHost)

const toHost = (row: Row): StoredHost => ({
  id: row.id,
  name: row.name,
  hostnames: readTextList(row.hostnames),
  allowedRoles: readAllowedRoles(row),
  accounts: row.accounts,
  conflicts: row.conflicts === null ? [] : (JSON.parse(row.conflicts) as StoredHost['conflicts']),
  allows: row.allows_accounts === null ? null : { accounts: row.allows_accounts === 1, sudo: row.allows_sudo === 1 },
  createdAt: row.created_at,
  enrolledAt: row.enrolled_at,
  enrollmentExpiresAt: row.enrollment_expires_at,
  lastSeenAt: row.last_seen_at,
  krlVersion: row.krl_version,
  sshdVersion: row.sshd_version,
})

/** Oldest first. */
export async function listHosts(db: Reader, limit: number, after: Position | undefined) {
  const rows = await hosts(db)
    .$if(after !== undefined, (query) => query.where(sql<boolean>`(created_at, id) > (${after?.[0]}, ${after?.[1]})`))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit + 1)
    .execute()
  return toPage(rows, limit, (row) => [row.created_at, row.id], toHost)
}

export const listAllHosts = async (db: Reader): Promise<StoredHost[]> =>
  (await hosts(db).orderBy('name').execute()).map(toHost)

export async function countHosts(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('ssh_hosts')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export async function findHostById(db: Reader, id: string): Promise<StoredHost | undefined> {
  const row = await hosts(db).where('id', '=', id).executeTakeFirst()
  return row && toHost(row)
}

/** The host with this id, and those that have one of these names. */
export const listHostsNamed = async (db: Reader, id: string, hostnames: readonly string[]): Promise<StoredHost[]> =>
  (
    await hosts(db)
      .where((eb) =>
        eb.or([
          eb('id', '=', id),
          eb(
            'id',
            'in',
            eb
              .selectFrom('ssh_host_names')
              .select('host_id')
              .where('hostname', 'in', [...hostnames]),
          ),
        ]),
      )
      .execute()
  ).map(toHost)

/** The same, locked until the transaction ends. */
export async function lockHost(trx: Trx, id: string): Promise<StoredHost | undefined> {
  await trx.selectFrom('ssh_hosts').select('id').where('id', '=', id).forUpdate().execute()
  return findHostById(trx, id)
}

/** Fails as a duplicate when another host has the name. */
export async function addHost(
  trx: CheckedTrx,
  { id, name, at }: { id: string; name: string; at: number },
): Promise<void> {
  await trx
    .insertInto('ssh_hosts')
    .values({
      id,
      name,
      hostnames: '[]',
      is_restricted: 0,
      enrollment_hash: null,
      enrollment_expires_at: null,
      enrolled_at: null,
      last_seen_at: null,
      krl_version: null,
      sshd_version: null,
      created_at: at,
    })
    .execute()
}

export async function renameHost(trx: Trx, id: string, name: string): Promise<void> {
  await trx.updateTable('ssh_hosts').set({ name }).where('id', '=', id).execute()
}

/** Fails as a duplicate of `ssh_host_names.hostname` when another host has one of them. */
export async function replaceHostnames(trx: CheckedTrx, id: string, hostnames: string[]): Promise<void> {
  await trx.deleteFrom('ssh_host_names').where('host_id', '=', id).execute()
  await trx
    .insertInto('ssh_host_names')
    .values(hostnames.map((hostname) => ({ hostname, host_id: id })))
    .execute()
  await trx
    .updateTable('ssh_hosts')
    .set({ hostnames: JSON.stringify(hostnames) })
    .where('id', '=', id)
    .execute()
}

/** Fails as a missing reference when a role does not exist. */
export async function replaceAllowedRoles(trx: CheckedTrx, id: string, roleIds: string[] | null): Promise<void> {
  await trx.deleteFrom('ssh_host_roles').where('host_id', '=', id).execute()
  if (roleIds && roleIds.length > 0) {
    await trx
      .insertInto('ssh_host_roles')
      .values(roleIds.map((role_id) => ({ host_id: id, role_id })))
      .execute()
  }
  await trx
    .updateTable('ssh_hosts')
    .set({ is_restricted: roleIds === null ? 0 : 1 })
    .where('id', '=', id)
    .execute()
  trx.signal('host-changed', { hostId: id })
}

export async function setAccounts(trx: CheckedTrx, id: string, accounts: AccountKind): Promise<void> {
  await trx.updateTable('ssh_hosts').set({ accounts }).where('id', '=', id).execute()
  trx.signal('host-changed', { hostId: id })
}

/** Keeps what a host says of making accounts; what it does not say stays. It says the same once a minute. */
export async function keepAccountsReport(
  db: Database,
  id: string,
  known: AccountsReported,
  { conflicts, allows }: { conflicts?: StoredHost['conflicts']; allows?: StoredHost['allows'] },
): Promise<void> {
  const said = {
    ...(conflicts ? { conflicts: JSON.stringify(conflicts.map(({ name, uid }) => ({ name, uid }))) } : {}),
    ...(allows ? { allows_accounts: allows.accounts ? 1 : 0, allows_sudo: allows.sudo ? 1 : 0 } : {}),
  }
  if (Object.keys(said).length === 0) return
  if (isDeepStrictEqual({ ...known, ...said }, { ...known })) return
  await db.transaction((trx) => trx.updateTable('ssh_hosts').set(said).where('id', '=', id).execute())
}

export async function deleteHost(trx: CheckedTrx, id: string, now: number): Promise<void> {
  await giveUpHost(trx, id, now)
  await trx.deleteFrom('ssh_hosts').where('id', '=', id).execute()
  trx.signal('host-changed', { hostId: id })
}

/** An older enrollment token that was not used stops working. */
export async function setEnrollment(trx: Trx, id: string, hash: string, expiresAt: number): Promise<void> {
  await trx
    .updateTable('ssh_hosts')
    .set({ enrollment_hash: hash, enrollment_expires_at: expiresAt })
    .where('id', '=', id)
    .execute()
}

/** The host that this token enrolls. Taken in one statement, so that it serves once. */
export async function consumeEnrollment(trx: Trx, hash: string, now: number): Promise<string | undefined> {
  const row = await trx
    .updateTable('ssh_hosts')
    .set({
      enrollment_hash: null,
      enrollment_expires_at: null,
      enrolled_at: now,
      last_seen_at: now,
      // What is installed now may report less than what was there before.
      principals_version: null,
      sessions_digest: null,
      last_ends: null,
    })
    .where('enrollment_hash', '=', hash)
    .where('enrollment_expires_at', '>', now)
    .returning('id')
    .executeTakeFirst()
  if (row) await deleteSessionsOfHost(trx, row.id)
  return row?.id
}

const seen = writeStatement((trx, value: Values<{ id: string; at: number }>) =>
  trx
    .updateTable('ssh_hosts')
    .set({ last_seen_at: value('at') })
    .where('id', '=', value('id')),
)

export async function markHostSeen(target: WriteTarget, id: string, at: number): Promise<void> {
  await seen(target, { id, at })
}

interface Report {
  id: string
  krlVersion: string
  sshdVersion: string
  /** The tag of its list of accounts; null: as before. */
  principalsVersion: string | null
  at: number
}

const reported = writeStatement((trx, value: Values<Report>) =>
  trx
    .updateTable('ssh_hosts')
    .set((eb) => ({
      krl_version: value('krlVersion'),
      sshd_version: value('sshdVersion'),
      principals_version: eb.fn.coalesce(sql<string | null>`${value('principalsVersion')}`, 'principals_version'),
      last_seen_at: value('at'),
    }))
    .where('id', '=', value('id'))
    .returning('hostnames'),
)

/** Returns the names of the host; undefined when there is none. */
export async function markReported(target: WriteTarget, report: Report): Promise<string[] | undefined> {
  const [row] = await reported(target, report)
  return row && readTextList(row.hostnames)
}
