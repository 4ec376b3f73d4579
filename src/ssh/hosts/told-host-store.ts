import { type RawBuilder, sql } from 'kysely'
import type { Told } from '../../identity/access-events.ts'
import type { Reader, Trx, WriteTarget } from '../../storage/database.ts'
import { readStatement, type Values, writeStatement } from '../../storage/statement.ts'
import type { DeliveryState } from '../../vocabulary/receivers.ts'
import { KRL_VERSION } from '../revocation/revocation-store.ts'

/** A host that could admit certificates of an account that is being disabled. */
export interface AdmittingHost {
  actionId: string
  userId: string
  hostId: string
  name: string
  /** When the last of these certificates expires. */
  validBefore: number
  lastSeenAt: number | null
  /** Whether the host says who is there. */
  reportsSessions: boolean
}

/** Written like the condition of the partial indexes. */
const IS_WAITING = sql<boolean>`state = 'waiting'`

/** A host that was not here for so long is not waited for. */
const ABSENT_MS = 24 * 3_600_000
/** A statement takes a limited number of values. */
const MAX_ROWS = 100

/** Call it when the certificates have been revoked, in the same transaction. */
export async function addToldHosts(trx: Trx, hosts: AdmittingHost[], now: number): Promise<void> {
  const rows = hosts.map(({ actionId, userId, hostId, name, validBefore, lastSeenAt, reportsSessions }) => {
    const isAbsent = (lastSeenAt ?? 0) <= now - ABSENT_MS
    return {
      action_id: actionId,
      host_id: hostId,
      name,
      krl_version: KRL_VERSION,
      valid_before: validBefore,
      user_id: userId,
      sessions_closed: reportsSessions ? 0 : null,
      state: isAbsent ? ('given_up' as const) : ('waiting' as const),
      finished_at: isAbsent ? now : null,
    }
  })
  for (let at = 0; at < rows.length; at += MAX_ROWS)
    await trx
      .insertInto('ssh_told_hosts')
      .values(rows.slice(at, at + MAX_ROWS))
      .execute()
}

/** Whether a host is still to report a list with what the action in this column has revoked. */
export const isHostWaiting = (actionId: RawBuilder<string>): RawBuilder<boolean> =>
  sql<boolean>`exists (select 1 from ssh_told_hosts
    where ssh_told_hosts.action_id = ${actionId} and ssh_told_hosts.state = 'waiting')`

/** By action, in the order of their names. */
export async function listToldHosts(db: Reader, actionIds: string[]): Promise<Map<string, Told[]>> {
  if (actionIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('ssh_told_hosts')
    .select(['action_id', 'host_id', 'name', 'state', 'finished_at', 'sessions_closed'])
    .where('action_id', 'in', actionIds)
    .orderBy('name')
    .orderBy('host_id')
    .execute()
  const told = new Map<string, Told[]>()
  for (const { action_id, host_id, name, state, finished_at, sessions_closed } of rows) {
    const known = told.get(action_id) ?? []
    known.push({ kind: 'host', id: host_id, name, state, at: finished_at, sessionsClosed: sessions_closed })
    told.set(action_id, known)
  }
  return told
}

const waitingOf = readStatement((db, value: Values<{ hostId: string }>) =>
  db
    .selectFrom('ssh_told_hosts')
    .select('krl_version')
    .where('host_id', '=', value('hostId'))
    .where(IS_WAITING)
    .orderBy('krl_version', 'desc')
    .limit(1),
)

/** The version of the last revocation that this host is still to report; undefined when there is none. Asked at each report. */
export async function findAwaitedVersion(db: Reader, hostId: string): Promise<bigint | undefined> {
  const [row] = await waitingOf(db, { hostId })
  return row && BigInt(row.krl_version)
}

interface Applied {
  hostId: string
  version: bigint
  at: number
}

const applied = writeStatement((trx, value: Values<Applied>) =>
  trx
    .updateTable('ssh_told_hosts')
    .set({ state: 'acknowledged', finished_at: value('at') })
    .where('host_id', '=', value('hostId'))
    .where('krl_version', '<=', sql<number>`${value('version')}`)
    .where(IS_WAITING),
)

/**
 * The host has lists of this version in force, and with them everything that was disabled up to that. After a disable thousands of hosts
 * say so within seconds: one statement, which shares its commit with others.
 */
export async function markListsApplied(target: WriteTarget, list: Applied): Promise<void> {
  await applied(target, list)
}

const markGivenUp = (trx: Trx, now: number) =>
  trx
    .updateTable('ssh_told_hosts')
    .set({ state: 'given_up' satisfies DeliveryState, finished_at: now })
    .where(IS_WAITING)

/** A host that is deleted reports nothing any more. */
export async function giveUpHost(trx: Trx, hostId: string, now: number): Promise<void> {
  await markGivenUp(trx, now).where('host_id', '=', hostId).execute()
}

/** For a restored backup: what a host has reported since it was made is not known. */
export async function giveUpAllHosts(trx: Trx, now: number): Promise<void> {
  await markGivenUp(trx, now).execute()
}

/** Hosts that were not here for a day, and those that refuse the certificates by now because they have expired. */
export async function giveUpLateHosts(trx: Trx, now: number): Promise<void> {
  await markGivenUp(trx, now)
    .where((eb) =>
      eb.or([
        eb('valid_before', '<=', now),
        eb.not(
          eb.exists(
            eb
              .selectFrom('ssh_hosts')
              .select('ssh_hosts.id')
              .whereRef('ssh_hosts.id', '=', 'ssh_told_hosts.host_id')
              .where('ssh_hosts.last_seen_at', '>', now - ABSENT_MS),
          ),
        ),
      ]),
    )
    .execute()
}

export const isAnyHostWaiting = async (db: Reader): Promise<boolean> =>
  (await db.selectFrom('ssh_told_hosts').select('host_id').where(IS_WAITING).limit(1).execute()).length > 0

/**
 * A host has ended sessions of a person. They count for the last disable of that person, as long as its receipt is open: later nobody
 * reads them.
 */
export async function addClosedSessions(
  trx: Trx,
  { hostId, userId, count }: { hostId: string; userId: string; count: number },
): Promise<void> {
  await trx
    .updateTable('ssh_told_hosts')
    .set({ sessions_closed: sql`sessions_closed + ${count}` })
    .where('user_id', '=', userId)
    .where('host_id', '=', hostId)
    .where('krl_version', '=', (eb) =>
      eb
        .selectFrom('ssh_told_hosts as last')
        .select((last) => last.fn.max('last.krl_version').as('version'))
        .where('last.user_id', '=', userId)
        .where('last.host_id', '=', hostId),
    )
    .execute()
}
