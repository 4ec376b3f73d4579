import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { ADMIN_ROLE } from '../access/built-in-roles.ts'
import { countEventsBetween, type EventCount } from '../audit/audit-store.ts'
import { findDailyCount } from '../audit/daily-count-store.ts'
import { dayOf } from '../audit/daily-counts.ts'
import { Time } from '../http/contracts.ts'
import { ActionName } from '../lifecycle/lifecycle-action.ts'
import type { Services } from '../services.ts'
import { IDLE_MS } from '../sessions/session.ts'
import type { Reader } from '../storage/database.ts'
import type { AuditAction } from '../vocabulary/audit-actions.ts'
import { countInSlices } from './count-in-slices.ts'

const Count = Type.Integer()

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
    users: Type.Object({ active: Count, disabled: Count, administrators: Count }),
    sessions: Type.Object({ active: Count }),
    tokens: Type.Object({ active: Type.Integer({ description: 'Access tokens that have not expired.' }) }),
    certificates: Type.Object({ issued: Type.Integer({ description: 'Since the beginning.' }) }),
    lifecycle: Type.Object({
      pending: Count,
      failed: Count,
      next: Type.Array(
        Type.Object({
          id: Type.String(),
          userId: Type.String(),
          email: Type.String(),
          action: ActionName,
          executeAt: Time,
        }),
        { description: 'The next ones due.' },
      ),
    }),
    days: Type.Array(Day, { description: 'The last 30 days, oldest first.' }),
  },
  { title: 'Overview' },
)
export type Overview = Type.Static<typeof Overview>

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DAYS = 30
const NEXT = 5
/** Asking more often than this gets the same answer, and so does asking again soon after what took long to count. */
const FRESH_MS = 5000
const FRESH_TIMES = 20
/** Another copy's clock may be behind by less than this. */
const SETTLED_MS = 300_000

/** Days that are over are counted once; what is counted afresh is small. */
export function createOverview({
  db,
  now,
  monotonicNow,
}: Pick<Services, 'db' | 'now' | 'monotonicNow'>): () => Promise<Overview> {
  const settled = new Map<number, Day>()
  let current: { until: number; answer: Promise<Overview> } | undefined

  const figuresOf = async (start: number): Promise<Day> => {
    const known = settled.get(start)
    if (known) return known
    const day = await countDay(db.read, start)
    if (now() - (start + DAY_MS) > SETTLED_MS) settled.set(start, day)
    return day
  }

  const count = async (): Promise<Overview> => {
    const today = now() - (now() % DAY_MS)
    const starts = Array.from({ length: DAYS }, (_, index) => today - (DAYS - 1 - index) * DAY_MS)
    for (const start of settled.keys()) if (start < today - DAYS * DAY_MS) settled.delete(start)
    const days: Day[] = []
    for (const start of starts) days.push(await figuresOf(start))
    return { ...(await countNow(db.read, now())), days }
  }

  return () => {
    if (!current || monotonicNow() >= current.until) {
      const started = monotonicNow()
      const answer = count()
      const asked = { until: Number.POSITIVE_INFINITY, answer }
      current = asked
      answer.then(
        () => (asked.until = Math.max(started + FRESH_MS, monotonicNow() + FRESH_TIMES * (monotonicNow() - started))),
        () => {
          if (current === asked) current = undefined
        },
      )
    }
    return current.answer
  }
}

const SIGNED_IN = 'session.started' satisfies AuditAction
const REFUSED = ['session.refused', 'passkey.refused'] as const satisfies AuditAction[]
const ISSUED = 'ssh_certificate.issued' satisfies AuditAction

/** An hour at a time, since a day of a large installation is more than others like to wait for. */
async function countDay(db: Reader, start: number): Promise<Day> {
  const rows: EventCount[] = []
  for (let hour = start; hour < start + DAY_MS; hour += HOUR_MS) {
    rows.push(...(await countEventsBetween(db, [SIGNED_IN, ...REFUSED, ISSUED], hour, hour + HOUR_MS)))
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

async function countNow(db: Reader, now: number): Promise<Omit<Overview, 'days'>> {
  const { rows } = await sql<Record<string, number>>`select
    (select count(*) from users where disabled_at is not null) as disabled,
    (select count(*) from user_roles where role_id = ${ADMIN_ROLE}) as administrators,
    (select value - coalesce((select cast(sum(last_serial - first_serial + 1) as bigint) from ssh_revoked_ranges), 0)
      from counters where name = 'ssh_serial') as certificates,
    (select count(*) from lifecycle_actions where status in ('pending', 'running')) as pending,
    (select count(*) from lifecycle_actions where status = 'failed') as failed`.execute(db)
  const { disabled = 0, administrators = 0, ...rest } = rows[0] ?? {}
  const users = await countInSlices(db, { table: 'users', by: 'created_at', above: -1 })
  const sessions = await countInSlices(db, {
    table: 'sessions',
    by: 'expires_at',
    above: now,
    where: sql<boolean>`(remembered = 1 or last_used_at > ${now - IDLE_MS})`,
  })
  const tokens = await countInSlices(db, { table: 'oauth_access_tokens', by: 'expires_at', above: now })
  const next = await db
    .selectFrom('lifecycle_actions')
    .innerJoin('users', 'users.id', 'lifecycle_actions.user_id')
    .select(['lifecycle_actions.id', 'user_id', 'users.email', 'action', 'execute_at'])
    .where(sql<boolean>`status in ('pending', 'running')`)
    .orderBy('execute_at')
    .limit(NEXT)
    .execute()
  return {
    users: { active: users - disabled, disabled, administrators },
    sessions: { active: sessions },
    tokens: { active: tokens },
    certificates: { issued: rest['certificates'] ?? 0 },
    lifecycle: {
      pending: rest['pending'] ?? 0,
      failed: rest['failed'] ?? 0,
      next: next.map(({ id, user_id, email, action, execute_at }) => ({
        id,
        userId: user_id,
        email,
        action,
        executeAt: execute_at,
      })),
    },
  }
}
