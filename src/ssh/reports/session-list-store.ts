import { sql } from 'kysely'
import { Type } from 'typebox'
import { Time } from '../../platform/http/contracts.ts'
import type { Reader } from '../../storage/database.ts'
import { findReportBefore } from '../hosts/host-session-store.ts'
import { HOST_SEEN_MS } from '../hosts/host.ts'

/** A session on a host, as that host reports it. */
export const SshSession = Type.Object(
  {
    hostId: Type.String(),
    hostName: Type.String(),
    serial: Type.String({ description: 'Of the certificate that it began with.' }),
    userId: Type.String({ description: 'Whose certificate that is.' }),
    account: Type.String({ description: 'The UNIX account on the host.' }),
    startedAt: Time,
    sourceAddress: Type.String(),
    stale: Type.Optional(
      Type.Literal(true, { description: 'The host was not seen for two minutes: the session may have ended.' }),
    ),
  },
  { title: 'SshSession' },
)
export type SshSession = Type.Static<typeof SshSession>

/** Of one person; a host reports fewer. */
const MAX_LISTED = 500

interface Filter {
  now: number
  hostId?: string
  userId?: string
}

/** The newest first. */
async function listSessions(db: Reader, { now, hostId, userId }: Filter): Promise<SshSession[]> {
  const rows = await db
    .selectFrom('ssh_host_sessions as session')
    .innerJoin('ssh_hosts as host', 'host.id', 'session.host_id')
    .select([
      'host.id as hostId',
      'host.name as hostName',
      'host.last_seen_at as seenAt',
      sql<string>`cast(session.serial as text)`.as('serial'),
      'session.user_id as userId',
      'session.account',
      'session.started_at as startedAt',
      'session.source_address as sourceAddress',
    ])
    .$if(hostId !== undefined, (query) => query.where('session.host_id', '=', hostId ?? ''))
    .$if(userId !== undefined, (query) => query.where('session.user_id', '=', userId ?? ''))
    .orderBy('session.started_at', 'desc')
    .orderBy('session.host_id')
    .orderBy('session.number')
    .limit(MAX_LISTED)
    .execute()
  return rows.map(({ seenAt, ...session }) =>
    (seenAt ?? 0) > now - HOST_SEEN_MS ? session : Object.assign(session, { stale: true as const }),
  )
}

/** The newest 500 sessions of a person, on all hosts. */
export const listSessionsOfUser = (db: Reader, userId: string, now: number): Promise<SshSession[]> =>
  listSessions(db, { now, userId })

/** Null where the host has not said who is there. */
export async function listSessionsOfHost(db: Reader, hostId: string, now: number): Promise<SshSession[] | null> {
  const found = await findReportBefore(db, hostId)
  return found === undefined || found.sessionsDigest === null ? null : listSessions(db, { now, hostId })
}

/** What the people are called who have a session there; nobody whose account was deleted. */
export async function listNamesOfSessions(db: Reader, hostId: string): Promise<Record<string, string>> {
  const rows = await db
    .selectFrom('users')
    .select(['id', 'preferred_username as username'])
    .where('id', 'in', (eb) => eb.selectFrom('ssh_host_sessions').select('user_id').where('host_id', '=', hostId))
    .execute()
  return Object.fromEntries(rows.map(({ id, username }) => [id, username]))
}

/** Whether a host reports a session that began with this certificate. */
export async function isSessionReported(db: Reader, hostId: string, serial: bigint): Promise<boolean> {
  const row = await db
    .selectFrom('ssh_host_sessions')
    .select('number')
    .where('host_id', '=', hostId)
    .where('serial', '=', serial)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
