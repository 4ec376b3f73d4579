import { setImmediate } from 'node:timers/promises'
import { Type } from 'typebox'
import { countEventsBetween, type EventCount } from '../../platform/audit/audit-store.ts'
import { findDailyCount, dayOf } from '../../platform/audit/daily-counts.ts'
import { Nullable, Time } from '../../platform/http/contracts.ts'
import type { Services } from '../../platform/services.ts'
import type { Reader } from '../../storage/database.ts'
import type { AuditAction } from '../../vocabulary/audit-actions.ts'
import {
  countDelayedMail,
  listFailedJobs,
  listFailedMail,
  createLargeCount,
  countAllLiveAccessTokens,
  countLiveSessions,
  countSmallTables,
  countUserRows,
  hasManyUnexpired,
  hasManyUsers,
} from './overview-store.ts'
import { FailedActions, PlannedActions, readPlannedActions } from './planned-actions.ts'
import { readSetup, Setup } from './setup.ts'
import { Failing, readTelling, TimeToNothingLeft } from './telling.ts'

const Count = Type.Integer()
const LargeCount = Nullable(
  Type.Integer({
    description: 'From the last count if there are many: null until they are counted for the first time.',
  }),
)

const Day = Type.Object({
  day: Type.String({ description: 'A day in UTC, as 2026-01-31.' }),
  password: Type.Integer({ description: 'Sign-ins with a password.' }),
  passkey: Type.Integer({ description: 'Sign-ins with a passkey.' }),
  refused: Type.Integer({ description: 'Sign-ins that were refused.' }),
  certificates: Type.Integer({ description: 'SSH certificates issued.' }),
  tokens: Type.Integer({ description: 'Access tokens issued.' }),
})
type Day = Type.Static<typeof Day>

/** The figures of the dashboard's first page. */
export const Overview = Type.Object(
  {
    users: Type.Object({ active: LargeCount, disabled: Count, administrators: Count }),
    sessions: Type.Object({ active: LargeCount }),
    tokens: Type.Object({ active: LargeCount }),
    certificates: Type.Object({ issued: Type.Integer({ description: 'Since the beginning.' }) }),
    lifecycle: PlannedActions,
    attention: Type.Object(
      {
        delayedMail: Type.Integer({
          description: 'Mails that the mail server has not accepted yet; they are tried again.',
        }),
        failedMail: Type.Array(
          Type.Object({
            id: Type.String(),
            at: Time,
            recipient: Type.String(),
            subject: Type.String(),
            reason: Type.String(),
          }),
        ),
        failedJobs: Type.Array(Type.Object({ name: Type.String(), at: Time }), {
          description: 'Background work that failed in the last ten minutes; it is tried again.',
        }),
        failedActions: FailedActions,
      },
      { description: 'What went wrong in the last seven days: at most 10 of each, newest first.' },
    ),
    timeToNothingLeft: TimeToNothingLeft,
    failing: Failing,
    setup: Setup,
    days: Type.Array(Day, { description: 'The last 30 days, oldest first.' }),
  },
  { title: 'Overview' },
)
export type Overview = Type.Static<typeof Overview>

/** What is the same for everybody who may see it. */
type Counted = Omit<Overview, 'lifecycle' | 'attention'> & { attention: Omit<Overview['attention'], 'failedActions'> }

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DAYS = 30
const MAX_FAILED = 10
const FAILED_MS = 7 * DAY_MS
const RECENT_MS = 600_000
/** An answer is reused for this long, or for this many times the duration of the count if that is longer. */
const FRESH_MS = 5000
const FRESH_TIMES = 20
/** The clocks of replicas differ by less than this, so a day gets no more events when it ended this long ago. */
const SETTLED_MS = 300_000

/** The figures as one person may see them. Days that are over are counted once and kept in memory. */
export function createOverview(
  services: Pick<Services, 'config' | 'db' | 'log' | 'now' | 'monotonicNow'>,
  stop: AbortSignal,
): (viewerId: string) => Promise<Overview> {
  const { config, db, now, monotonicNow } = services
  const userRows = createLargeCount(services, { stop, isLong: hasManyUsers, count: countUserRows })
  const sessions = createLargeCount(services, {
    stop,
    isLong: (reader) => hasManyUnexpired(reader, 'sessions', now()),
    count: (reader) => countLiveSessions(reader, now()),
  })
  const tokens = createLargeCount(services, {
    stop,
    isLong: (reader) => hasManyUnexpired(reader, 'oauth_access_tokens', now()),
    count: (reader) => countAllLiveAccessTokens(reader, now()),
  })
  const settled = new Map<number, Day>()
  let current: { until: number; answer: Promise<Counted> } | undefined

  const figuresOf = async (start: number): Promise<Day> => {
    const known = settled.get(start)
    if (known) return known
    const day = await countDay(db.read, start)
    if (now() - (start + DAY_MS) > SETTLED_MS) settled.set(start, day)
    return day
  }

  const count = async (): Promise<Counted> => {
    const today = now() - (now() % DAY_MS)
    const starts = Array.from({ length: DAYS }, (_, index) => today - (DAYS - 1 - index) * DAY_MS)
    for (const start of settled.keys()) if (start < today - DAYS * DAY_MS) settled.delete(start)
    const days: Day[] = []
    for (const start of starts) days.push(await figuresOf(start))
    const counted = await countNow({ config, read: db.read }, now(), await userRows())
    return {
      ...counted,
      sessions: { active: await sessions() },
      tokens: { active: await tokens() },
      days,
    }
  }

  const readCounted = (): Promise<Counted> => {
    if (!current || monotonicNow() >= current.until) {
      const started = monotonicNow()
      const answer = count()
      const counting = { until: Number.POSITIVE_INFINITY, answer }
      current = counting
      answer.then(
        () =>
          (counting.until = Math.max(started + FRESH_MS, monotonicNow() + FRESH_TIMES * (monotonicNow() - started))),
        () => {
          if (current === counting) current = undefined
        },
      )
    }
    return current.answer
  }

  return async (viewerId) => {
    const { attention, ...counted } = await readCounted()
    const { lifecycle, failedActions } = await readPlannedActions(services, viewerId)
    return { ...counted, lifecycle, attention: { ...attention, failedActions } }
  }
}

const SIGNED_IN = 'session.started' satisfies AuditAction
const REFUSED = ['session.refused', 'passkey.refused'] as const satisfies AuditAction[]
const ISSUED = 'ssh_certificate.issued' satisfies AuditAction

/** SQLite answers in this process: counting a whole day of a large installation at once would make other requests wait. */
const COUNTED_AT_ONCE_MS: Record<Reader['dialect'], number> = { sqlite: HOUR_MS, postgres: DAY_MS }

async function countDay(db: Reader, start: number): Promise<Day> {
  const rows: EventCount[] = []
  const step = COUNTED_AT_ONCE_MS[db.dialect]
  for (let from = start; from < start + DAY_MS; from += step) {
    rows.push(...(await countEventsBetween(db, [SIGNED_IN, ...REFUSED, ISSUED], from, from + step)))
    await setImmediate()
  }
  const sum = (matches: (row: EventCount) => boolean) =>
    rows.filter(matches).reduce((total, row) => total + row.count, 0)
  const day = dayOf(start)
  return {
    day,
    password: sum((row) => row.action === SIGNED_IN && row.method !== 'passkey'),
    passkey: sum((row) => row.action === SIGNED_IN && row.method === 'passkey'),
    refused: sum((row) => REFUSED.some((action) => action === row.action)),
    certificates: sum((row) => row.action === ISSUED),
    tokens: (await findDailyCount(db, day, 'access_tokens')) ?? 0,
  }
}

async function countNow(
  { config, read: db }: { config: Services['config']; read: Reader },
  now: number,
  users: number | null,
): Promise<Omit<Counted, 'sessions' | 'tokens' | 'days'>> {
  const { disabled, deleted, administrators, certificates } = await countSmallTables(db)
  return {
    users: { active: users === null ? null : users - disabled - deleted, disabled, administrators },
    certificates: { issued: certificates },
    attention: {
      delayedMail: await countDelayedMail(db),
      failedMail: await listFailedMail(db, now - FAILED_MS, MAX_FAILED),
      failedJobs: await listFailedJobs(db, now - RECENT_MS),
    },
    ...(await readTelling(db, now)),
    setup: await readSetup({ config, read: db }, administrators),
  }
}
