import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { sessionLives } from '../../identity/sessions/session-store.ts'
import { IDLE_MS } from '../../identity/sessions/session.ts'
import { accountExists, accountIsDisabled } from '../../identity/users/account-state.ts'
import { countLiveAccessTokens } from '../../oauth/tokens/token-store.ts'
import type { Services } from '../../platform/services.ts'
import type { Reader } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import type { AuditAction } from '../../vocabulary/audit-actions.ts'
import { ADMIN_ROLE } from '../../vocabulary/built-in-roles.ts'

/** What takes no time to count, in one query. */
export async function countSmallTables(db: Reader) {
  const disabled = db.selectFrom('users').where(accountIsDisabled)
  const { rows } = await sql<
    Record<'disabled' | 'deleted' | 'administrators', number> & {
      certificates: number | null
    }
  >`select
    ${disabled.where(accountExists).select((eb) => eb.fn.countAll().as('n'))} as disabled,
    (select count(*) from users where deleted_at is not null) as deleted,
    (select count(*) from user_roles where role_id = ${ADMIN_ROLE}) as administrators,
    (select value - coalesce((select cast(sum(last_serial - first_serial + 1) as bigint) from ssh_revoked_ranges), 0)
      from counters where name = 'ssh_serial') as certificates`.execute(db)
  const { disabled: disabledUsers = 0, deleted = 0, administrators = 0 } = rows[0] ?? {}
  return {
    disabled: disabledUsers,
    deleted,
    administrators,
    /** Those that were issued, without serials that a restored backup skipped. */
    certificates: rows[0]?.certificates ?? 0,
  }
}

/** All rows of users, also of deleted accounts. */
export const countUserRows = (db: Reader): Promise<number> =>
  sumInSlices(db, { ...ALL_USERS, rows: 10_000 }, async ({ after, upTo }) => {
    const { count } = await db
      .selectFrom('users')
      .where('created_at', '>', after)
      .$if(upTo !== undefined, (query) => query.where('created_at', '<=', upTo ?? 0))
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return count
  })

export const countLiveSessions = (db: Reader, now: number): Promise<number> =>
  sumInSlices(db, { ...unexpired('sessions', now), rows: 10_000 }, async ({ after, upTo }) => {
    const { count } = await db
      .selectFrom('sessions')
      .where(sessionLives(after, now - IDLE_MS))
      .$if(upTo !== undefined, (query) => query.where('expires_at', '<=', upTo ?? 0))
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return count
  })

/** In smaller slices, since each token is looked up with its client, authorization and account. */
export const countAllLiveAccessTokens = (db: Reader, now: number): Promise<number> =>
  sumInSlices(db, { ...unexpired('oauth_access_tokens', now), rows: 500 }, (range) =>
    countLiveAccessTokens(db, now, range),
  )

/** With more rows than this, a table is not counted while a request waits. */
export const MAX_COUNTED_AT_ONCE = { users: 100_000, sessions: 10_000, oauth_access_tokens: 10_000 }

export const hasManyUsers = (db: Reader): Promise<boolean> => hasMany(db, 'users', ALL_USERS)

/** Whether there are many that have not expired. */
export const hasManyUnexpired = (db: Reader, table: ExpiringTable, now: number): Promise<boolean> =>
  hasMany(db, table, unexpired(table, now))

const hasMany = async (db: Reader, table: keyof typeof MAX_COUNTED_AT_ONCE, counted: Above): Promise<boolean> =>
  (await findAt(db, counted, MAX_COUNTED_AT_ONCE[table])) !== undefined

/** The rows of a table whose time is above a value. */
interface Above {
  table: keyof Schema
  /** A column of times with an index of its own. */
  column: string
  above: number
}

type ExpiringTable = 'sessions' | 'oauth_access_tokens'

const ALL_USERS: Above = { table: 'users', column: 'created_at', above: -1 }
const unexpired = (table: ExpiringTable, now: number): Above => ({ table, column: 'expires_at', above: now })

/** Times above `after` and, if there is an `upTo`, not above that. */
interface Range {
  after: number
  upTo: number | undefined
}

/**
 * On SQLite counts this many rows at a time, unless several have the same time, and lets other requests run between the slices:
 * it answers in this process, so that counting millions of rows at once would block it. PostgreSQL counts all at once, since it
 * would read the tables that it joins again for every slice.
 */
async function sumInSlices(
  db: Reader,
  { rows, ...counted }: Above & { rows: number },
  count: (range: Range) => Promise<number>,
): Promise<number> {
  let total = 0
  for (let after = counted.above; ;) {
    const upTo = db.dialect === 'sqlite' ? await findAt(db, { ...counted, above: after }, rows - 1) : undefined
    total += await count({ after, upTo })
    if (upTo === undefined) return total
    after = upTo
    await setImmediate()
  }
}

/** The time of the row after this many others, in the order of their times. */
async function findAt(db: Reader, { table, column: name, above }: Above, others: number): Promise<number | undefined> {
  const column = sql.ref<number>(name)
  const found = await db
    .selectFrom(sql<{ at: number }>`${sql.table(table)}`.as('counted'))
    .where(sql<boolean>`${column} > ${above}`)
    .select(column.as('at'))
    .orderBy(column)
    .limit(1)
    .offset(others)
    .executeTakeFirst()
  return found?.at
}

const MAIL_FAILED = 'mail.failed' satisfies AuditAction

/** Mails that were given up since a time, newest first. */
export async function listFailedMail(db: Reader, since: number, limit: number) {
  const rows = await db
    .selectFrom('audit_events')
    .select(['id', 'at', 'data'])
    .where('action', '=', MAIL_FAILED)
    .where('at', '>=', since)
    .orderBy('at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ id, at, data }) => {
    const { recipient = '', subject = '', reason = '' } = JSON.parse(data) as Record<string, string>
    return { id, at, recipient, subject, reason }
  })
}

/** How many mails wait because the mail server has refused them so far. */
export async function countDelayedMail(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('outgoing_mail')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('last_error', 'is not', null)
    .executeTakeFirstOrThrow()
  return count
}

/** Background work that failed since a time. */
export const listFailedJobs = (db: Reader, since: number) =>
  db
    .selectFrom('failed_jobs')
    .select(['name', 'failed_at as at'])
    .where('failed_at', '>=', since)
    .orderBy('failed_at', 'desc')
    .execute()

/** A result is reused for this many times the duration of the count. */
const FRESH_TIMES = 20
/** A result that is older than this is not given out while the next is counted. */
const KEPT_MS = 3_600_000

interface Counting {
  /** Aborted when the service ends: the count that is under way then fails. */
  stop: AbortSignal
  /** Whether counting takes longer than a request should wait. */
  isLong(db: Reader): Promise<boolean>
  count(db: Reader): Promise<number>
}

/**
 * A count that may take long. Then it runs in the background, and requests get its last result: null while there is none.
 */
export function createLargeCount(
  { db, monotonicNow, log }: Pick<Services, 'db' | 'monotonicNow' | 'log'>,
  { stop, isLong, count }: Counting,
): () => Promise<number | null> {
  let known: { value: number; at: number } | undefined
  let isCounting = false
  let next = Number.NEGATIVE_INFINITY

  const countOn = async (reader: Reader): Promise<number> => {
    const value = await count(reader)
    known = { value, at: monotonicNow() }
    return value
  }
  const countInBackground = async (): Promise<void> => {
    const started = monotonicNow()
    isCounting = true
    try {
      await countOn(db.background)
    } catch (error) {
      if (!stop.aborted) log.warn({ err: error }, 'Counting for the overview failed; it is tried again.')
    }
    isCounting = false
    next = monotonicNow() + FRESH_TIMES * (monotonicNow() - started)
  }

  return async () => {
    if (!(await isLong(db.read))) return countOn(db.read)
    if (!isCounting && monotonicNow() >= next) void countInBackground()
    return known && monotonicNow() - known.at < KEPT_MS ? known.value : null
  }
}
