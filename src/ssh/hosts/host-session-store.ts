import { type Selectable, sql } from 'kysely'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { readStatement, type Values, writeStatement } from '../../storage/statement.ts'

/** A session as a host reports it. */
export interface HostSession {
  serial: string
  account: string
  startedAt: number
  sourceAddress: string
}

export interface StoredSession extends HostSession {
  number: number
  userId: string
}

const sessionsOfHost = readStatement((db, value: Values<{ hostId: string }>) =>
  db
    .selectFrom('ssh_host_sessions')
    .select([
      'number',
      sql<string>`cast(serial as text)`.as('serial'),
      'account',
      'started_at as startedAt',
      'source_address as sourceAddress',
      'user_id as userId',
    ])
    .where('host_id', '=', value('hostId'))
    .orderBy('started_at')
    .orderBy('number'),
)

/** The oldest first. */
export const readSessions = (db: Reader, hostId: string): Promise<StoredSession[]> => sessionsOfHost(db, { hostId })

/** A statement takes a limited number of values. */
const MAX_ROWS = 100

export async function addSessions(trx: Trx, hostId: string, sessions: StoredSession[]): Promise<void> {
  const rows = sessions.map(({ number, serial, account, startedAt, sourceAddress, userId }) => ({
    host_id: hostId,
    number,
    serial: BigInt(serial),
    account,
    started_at: startedAt,
    source_address: sourceAddress,
    user_id: userId,
  }))
  for (let at = 0; at < rows.length; at += MAX_ROWS)
    await trx
      .insertInto('ssh_host_sessions')
      .values(rows.slice(at, at + MAX_ROWS))
      .execute()
}

export async function deleteSessions(trx: Trx, hostId: string, numbers: number[]): Promise<void> {
  if (numbers.length === 0) return
  await trx.deleteFrom('ssh_host_sessions').where('host_id', '=', hostId).where('number', 'in', numbers).execute()
}

export async function deleteSessionsOfHost(trx: Trx, hostId: string): Promise<void> {
  await trx.deleteFrom('ssh_host_sessions').where('host_id', '=', hostId).execute()
}

/** What a host has reported before, as far as the next report is compared with it. */
export interface ReportBefore {
  /** What the host is called. */
  name: string
  principalsVersion: string | null
  sessionsDigest: string | null
  lastEnds: string | null
  accounts: AccountsReported
}

/** What it has said of making accounts. */
export type AccountsReported = Pick<Selectable<Schema['ssh_hosts']>, 'conflicts' | 'allows_accounts' | 'allows_sudo'>

const before = readStatement((db, value: Values<{ id: string }>) =>
  db
    .selectFrom('ssh_hosts')
    .select(['name', 'principals_version as principalsVersion'])
    .select(['sessions_digest as sessionsDigest', 'last_ends as lastEnds'])
    .select(['conflicts', 'allows_accounts', 'allows_sudo'])
    .where('id', '=', value('id')),
)

export async function findReportBefore(db: Reader, id: string): Promise<ReportBefore | undefined> {
  const [row] = await before(db, { id })
  if (!row) return undefined
  const { conflicts, allows_accounts, allows_sudo, ...rest } = row
  return { ...rest, accounts: { conflicts, allows_accounts, allows_sudo } }
}

const noted = writeStatement((trx, value: Values<{ id: string; digest: string | null; lastEnds: string | null }>) =>
  trx
    .updateTable('ssh_hosts')
    .set({ sessions_digest: value('digest'), last_ends: value('lastEnds') })
    .where('id', '=', value('id')),
)

export async function markSessionsReported(
  trx: Trx,
  id: string,
  { sessionsDigest: digest, lastEnds }: Pick<ReportBefore, 'sessionsDigest' | 'lastEnds'>,
): Promise<void> {
  await noted(trx, { id, digest, lastEnds })
}

/** The hosts that have said who is there. */
export async function listReportingHosts(db: Reader): Promise<Set<string>> {
  const rows = await db.selectFrom('ssh_hosts').select('id').where('sessions_digest', 'is not', null).execute()
  return new Set(rows.map(({ id }) => id))
}
