import { sql } from 'kysely'
import { Type } from 'typebox'
import { ADMIN_ROLE } from '../access/built-in-roles.ts'
import { Time } from '../http/contracts.ts'
import type { Services } from '../services.ts'
import { IDLE_MS } from '../sessions/session.ts'
import type { Db } from '../storage/schema.ts'
import { dayOf, findDailyCount } from './daily-counts.ts'

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
          action: Type.String(),
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

const DAY_MS = 86_400_000
const DAYS = 30
const NEXT = 5
/** Asking more often than this gets the same answer. */
const FRESH_MS = 5000
/** Another copy's clock may be behind by less than this. */
const SETTLED_MS = 300_000

/** Days that are over are counted once; what is counted afresh is small. */
export function createOverview({ db, now }: Pick<Services, 'db' | 'now'>): () => Promise<Overview> {
  const settled = new Map<number, Day>()
  let current: { at: number; answer: Promise<Overview> } | undefined

  const figuresOf = async (start: number): Promise<Day> => {
    const known = settled.get(start)
    if (known) return known
    const day = await countDay(db, start)
    if (now() - (start + DAY_MS) > SETTLED_MS) settled.set(start, day)
    return day
  }

  const count = async (): Promise<Overview> => {
    const today = now() - (now() % DAY_MS)
    const starts = Array.from({ length: DAYS }, (_, index) => today - (DAYS - 1 - index) * DAY_MS)
    for (const start of settled.keys()) if (start < today - DAYS * DAY_MS) settled.delete(start)
    const days: Day[] = []
    for (const start of starts) days.push(await figuresOf(start))
    return { ...(await countNow(db, now())), days }
  }

  return () => {
    if (!current || now() - current.at >= FRESH_MS) {
      const answer = count()
      const asked = { at: now(), answer }
      current = asked
      answer.catch(() => {
        if (current === asked) current = undefined
      })
    }
    return current.answer
  }
}

async function countDay(db: Db, start: number): Promise<Day> {
  const { rows } = await sql<{ action: string; passkey: number; count: number }>`
    select action, case when data like '%"method":"passkey"%' then 1 else 0 end as passkey, count(*) as count
    from audit_events
    where action in ('session.started', 'session.refused', 'passkey.refused', 'ssh_certificate.issued')
      and at >= ${start} and at < ${start + DAY_MS}
    group by 1, 2`.execute(db)
  const sum = (matches: (row: { action: string; passkey: number }) => boolean) =>
    rows.filter(matches).reduce((total, row) => total + row.count, 0)
  const day = dayOf(start)
  return {
    day,
    password: sum((row) => row.action === 'session.started' && row.passkey === 0),
    passkey: sum((row) => row.action === 'session.started' && row.passkey === 1),
    refused: sum((row) => row.action.endsWith('.refused')),
    certificates: sum((row) => row.action === 'ssh_certificate.issued'),
    tokens: await findDailyCount(db, day, 'access_tokens'),
  }
}

async function countNow(db: Db, now: number): Promise<Omit<Overview, 'days'>> {
  const { rows } = await sql<Record<string, number>>`select
    (select count(*) from users) as users,
    (select count(*) from users where disabled_at is not null) as disabled,
    (select count(*) from user_roles where role_id = ${ADMIN_ROLE}) as administrators,
    (select count(*) from sessions where expires_at > ${now}
      and (remembered = 1 or last_used_at > ${now - IDLE_MS})) as sessions,
    (select count(*) from oauth_access_tokens where expires_at > ${now}) as tokens,
    (select value from counters where name = 'ssh_serial') as certificates,
    (select count(*) from lifecycle_actions where status in ('pending', 'running')) as pending,
    (select count(*) from lifecycle_actions where status = 'failed') as failed`.execute(db)
  const { users = 0, disabled = 0, administrators = 0, sessions = 0, tokens = 0, ...rest } = rows[0] ?? {}
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
