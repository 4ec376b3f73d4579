import { hash } from 'node:crypto'
import type { HostSession, StoredSession } from '../hosts/host-session-store.ts'
import type { HostReport, ReportedEnd } from './report.ts'

/** A session that the host has ended, and when, as it says. */
export interface ClosedSession extends StoredSession {
  endedAt: number
}

/** Of the sessions as they were reported, in any order; null where the host can't know them. */
export const digestOf = (sessions: NonNullable<HostReport['sessions']> | null): string | null =>
  sessions && hash('sha256', JSON.stringify(sessions.map(keyOf).toSorted()), 'base64url')

/** Which of the known sessions are reported again, and what is new. Several may be alike. */
export function compareSessions(
  known: readonly StoredSession[],
  reported: readonly HostSession[],
): { kept: StoredSession[]; added: HostSession[] } {
  const unmatched = Map.groupBy(known, keyOf)
  const kept: StoredSession[] = []
  const added: HostSession[] = []
  for (const session of reported) {
    const same = unmatched.get(keyOf(session))?.shift()
    if (same) kept.push(same)
    // Field by field: the host may have sent more.
    else added.push(plain(session))
  }
  return { kept, added }
}

/**
 * Which of these sessions the host has ended. Of a report with a list these are the ones that it lacks, so that an end that comes again,
 * because the host did not get the answer, finds none. Without a list it might take another one that is alike, so what was counted with the
 * report before is not counted again. `counted` has all that were counted by now, as they are stored.
 */
export function matchEnds(
  sessions: readonly StoredSession[],
  ended: readonly ReportedEnd[],
  { countedBefore, hasList }: { countedBefore: readonly string[]; hasList: boolean },
): { closed: ClosedSession[]; counted: string[] } {
  const left = Map.groupBy(sessions, ({ serial, account }) => `${serial} ${account}`)
  const before = countEach(countedBefore)
  const closed: ClosedSession[] = []
  const counted: string[] = []
  for (const { serial, account, at } of ended) {
    const end = `${serial} ${account} ${at}`
    const repeats = before.get(end) ?? 0
    const session = hasList || repeats === 0 ? left.get(`${serial} ${account}`)?.shift() : undefined
    if (session) closed.push({ ...session, endedAt: at })
    else before.set(end, repeats - 1)
    if (session || repeats > 0) counted.push(end)
  }
  return { closed, counted }
}

const keyOf = ({ serial, account, startedAt, sourceAddress }: HostSession): string =>
  JSON.stringify([serial, account, startedAt, sourceAddress])

const plain = ({ serial, account, startedAt, sourceAddress }: HostSession): HostSession => ({
  serial,
  account,
  startedAt,
  sourceAddress,
})

function countEach(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}
