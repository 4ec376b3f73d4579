import { recordEvents } from '../../platform/audit/record-event.ts'
import type { RequestSource } from '../../platform/http/request-source.ts'
import type { Services } from '../../platform/services.ts'
import { readTextList } from '../../storage/columns.ts'
import type { Trx } from '../../storage/database.ts'
import type { EnrolledHost } from '../hosts/authenticate-host.ts'
import {
  addSessions,
  deleteSessions,
  findReportBefore,
  markSessionsReported,
  readSessions,
  type ReportBefore,
} from '../hosts/host-session-store.ts'
import type { Listing } from '../hosts/principals-history.ts'
import { addClosedSessions } from '../hosts/told-host-store.ts'
import { type ClosedSession, compareSessions, digestOf, matchEnds } from './compare-sessions.ts'
import { judgeSessions } from './judge-sessions.ts'
import type { HostReport } from './report.ts'

export interface ReportingHost extends EnrolledHost {
  source: RequestSource
}

type SessionReport = Pick<HostReport, 'sessions' | 'ended'>

/** Whether a report says anything about sessions that the one before did not: most don't, and then nothing is written. */
export const hasSessionNews = ({ sessions, ended = [] }: SessionReport, before: ReportBefore): boolean =>
  ended.length > 0 ||
  before.lastEnds !== null ||
  (sessions !== undefined && digestOf(sessions) !== before.sessionsDigest)

/** Replaces the sessions of a host, whose row is locked, by those that it reports, and records those that it has ended. */
export async function noteSessions(
  services: Pick<Services, 'now'>,
  trx: Trx,
  { host, report, past }: { host: ReportingHost; report: SessionReport; past: readonly Listing[] },
): Promise<void> {
  const { sessions, ended = [] } = report
  const before = await findReportBefore(trx, host.id)
  if (!before) return
  const known = await readSessions(trx, host.id)
  const reported = sessions === undefined ? known : (sessions ?? [])
  const { kept, added } = compareSessions(known, reported)
  // Without a list, any of the known ones may be what has ended.
  const left = sessions === undefined ? known : known.filter((session) => !kept.includes(session))
  const { closed, counted } = matchEnds(left, ended, {
    countedBefore: readTextList(before.lastEnds ?? '[]'),
    hasList: sessions !== undefined,
  })
  const gone = (sessions === undefined ? closed : left).map(({ number }) => number)

  const users = await judgeSessions(trx, added, { allowedRoles: host.allowedRoles, past })
  const numbers = freeNumbers(kept.map(({ number }) => number))
  const possible = added.flatMap((session, index) => {
    const userId = users[index]
    return userId === undefined ? [] : [{ ...session, userId, number: numbers() }]
  })
  await deleteSessions(trx, host.id, gone)
  await addSessions(trx, host.id, possible)
  await recordEnds(services, trx, { host, hostName: before.name, closed })
  await markSessionsReported(trx, host.id, {
    sessionsDigest: digestAfter(report, before, closed),
    lastEnds: counted.length > 0 ? JSON.stringify(counted) : null,
  })
}

/** Of a list that lacks a session by now which the host may list again. No list has this digest. */
const CHANGED = 'changed'

function digestAfter({ sessions }: SessionReport, before: ReportBefore, closed: ClosedSession[]): string | null {
  if (sessions !== undefined) return digestOf(sessions)
  return closed.length > 0 ? CHANGED : before.sessionsDigest
}

/** Returns the next number that none of the sessions has. */
function freeNumbers(taken: readonly number[]): () => number {
  const numbers = new Set(taken)
  let next = 0
  return () => {
    while (numbers.has(next)) next++
    return next++
  }
}

async function recordEnds(
  services: Pick<Services, 'now'>,
  trx: Trx,
  { host, hostName, closed }: { host: ReportingHost; hostName: string; closed: ClosedSession[] },
): Promise<void> {
  if (closed.length === 0) return
  for (const [userId, { length: count }] of Map.groupBy(closed, (session) => session.userId))
    await addClosedSessions(trx, { hostId: host.id, userId, count })
  await recordEvents(
    services,
    trx,
    closed.map(({ userId, serial, account, startedAt, endedAt, sourceAddress }) => ({
      action: 'ssh.session_ended' as const,
      outcome: 'success' as const,
      actor: { id: null, email: null, source: host.source },
      target: { type: 'user', id: userId },
      data: { hostId: host.id, hostName, serial, account, startedAt, endedAt, sourceAddress },
    })),
  )
}
