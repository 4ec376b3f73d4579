import { type Selectable, sql } from 'kysely'
import { type Position, toPage } from '../../http/cursor.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { readTextList } from '../../storage/text-list.ts'
import type { StoredHost } from './host.ts'

type Row = Selectable<Schema['ssh_hosts']> & { roles: string | null }

const hosts = (db: Reader) =>
  db
    .selectFrom('ssh_hosts')
    .selectAll()
    .select(
      sql<string | null>`(select string_agg(role_id, ' ') from ssh_host_roles where host_id = ssh_hosts.id)`.as(
        'roles',
      ),
    )

const toHost = (row: Row): StoredHost => ({
  id: row.id,
  name: row.name,
  hostnames: readTextList(row.hostnames),
  allowedRoles: row.is_restricted === 1 ? (row.roles?.split(' ').toSorted() ?? []) : null,
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

/** The same, locked until the transaction ends. */
export async function holdHost(trx: Trx, id: string): Promise<StoredHost | undefined> {
  await trx.selectFrom('ssh_hosts').select('id').where('id', '=', id).forUpdate().execute()
  return findHostById(trx, id)
}

/** Fails as a duplicate when another host has the name. */
export async function addHost(trx: Trx, { id, name, at }: { id: string; name: string; at: number }): Promise<void> {
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
export async function replaceHostnames(trx: Trx, id: string, hostnames: string[]): Promise<void> {
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
export async function replaceAllowedRoles(trx: Trx, id: string, roleIds: string[] | null): Promise<void> {
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
}

export async function deleteHost(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom('ssh_hosts').where('id', '=', id).execute()
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
    .set({ enrollment_hash: null, enrollment_expires_at: null, enrolled_at: now, last_seen_at: now })
    .where('enrollment_hash', '=', hash)
    .where('enrollment_expires_at', '>', now)
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

export async function markHostSeen(trx: Trx, id: string, at: number): Promise<void> {
  await trx.updateTable('ssh_hosts').set({ last_seen_at: at }).where('id', '=', id).execute()
}

export async function markReported(
  trx: Trx,
  { id, krlVersion, sshdVersion, at }: { id: string; krlVersion: string; sshdVersion: string; at: number },
): Promise<void> {
  await trx
    .updateTable('ssh_hosts')
    .set({ krl_version: krlVersion, sshd_version: sshdVersion, last_seen_at: at })
    .where('id', '=', id)
    .execute()
}
