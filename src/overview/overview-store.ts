import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { ADMIN_ROLE } from '../access/built-in-roles.ts'
import { countLiveAccessTokens } from '../oauth/tokens/token-store.ts'
import { sessionLives } from '../sessions/session-store.ts'
import type { Reader } from '../storage/database.ts'
import type { Schema } from '../storage/schema.ts'
import { accountExists, accountIsDisabled } from '../users/account-standing.ts'

/** What takes no time to count, in one query. */
export async function countSmallTables(db: Reader) {
  const disabled = db.selectFrom('users').where(accountIsDisabled)
  const { rows } = await sql<
    Record<'disabled' | 'deleted' | 'administrators' | 'pending' | 'failed', number> & {
      certificates: number | null
    }
  >`select
    ${disabled.where(accountExists).select((eb) => eb.fn.countAll().as('n'))} as disabled,
    (select count(*) from users where deleted_at is not null) as deleted,
    (select count(*) from user_roles where role_id = ${ADMIN_ROLE}) as administrators,
    (select value - coalesce((select cast(sum(last_serial - first_serial + 1) as bigint) from ssh_revoked_ranges), 0)
      from counters where name = 'ssh_serial') as certificates,
    (select count(*) from lifecycle_actions where status in ('pending', 'running')) as pending,
    (select count(*) from lifecycle_actions where status = 'failed') as failed`.execute(db)
  const { disabled: disabledUsers = 0, deleted = 0, administrators = 0, pending = 0, failed = 0 } = rows[0] ?? {}
  return {
    disabled: disabledUsers,
    deleted,
    administrators,
    pending,
    failed,
    /** Those that were issued, without serials that a restored backup skipped. */
    certificates: rows[0]?.certificates ?? 0,
  }
}

/** All rows of users, also of deleted accounts. */
export const countUserRows = (db: Reader): Promise<number> =>
  sumInSlices(db, { table: 'users', column: 'created_at', above: -1, rows: 10_000 }, async ({ after, upTo }) => {
    const { count } = await db
      .selectFrom('users')
      .where('created_at', '>', after)
      .$if(upTo !== undefined, (query) => query.where('created_at', '<=', upTo ?? 0))
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return count
  })

export const countLiveSessions = (db: Reader, now: number): Promise<number> =>
  sumInSlices(db, { table: 'sessions', column: 'expires_at', above: now, rows: 10_000 }, async ({ after, upTo }) => {
    const { count } = await db
      .selectFrom('sessions')
      .where(sessionLives(now))
      .where('expires_at', '>', after)
      .$if(upTo !== undefined, (query) => query.where('expires_at', '<=', upTo ?? 0))
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return count
  })

/** In smaller slices, since each token is looked up with its client, authorization and account. */
export const countAllLiveAccessTokens = (db: Reader, now: number): Promise<number> =>
  sumInSlices(db, { table: 'oauth_access_tokens', column: 'expires_at', above: now, rows: 2000 }, (range) =>
    countLiveAccessTokens(db, now, range),
  )

/** The planned actions that come next. */
export async function listNextActions(db: Reader, limit: number) {
  return db
    .selectFrom('lifecycle_actions')
    .innerJoin('users', 'users.id', 'lifecycle_actions.user_id')
    .select(['lifecycle_actions.id', 'user_id as userId', 'users.email', 'action', 'execute_at as executeAt'])
    .where(sql<boolean>`status in ('pending', 'running')`)
    .orderBy('execute_at')
    .limit(limit)
    .execute()
}

interface Slices {
  table: keyof Schema
  /** A column of times with an index of its own. */
  column: string
  above: number
  /** In one slice, unless several rows have the same time. */
  rows: number
}

/** Times above `after` and, if there is an `upTo`, not above that. */
interface Range {
  after: number
  upTo: number | undefined
}

/**
 * Counts the rows whose time is above a value, a slice at a time, and lets other requests run between the slices: SQLite
 * answers in this process, so that counting millions of rows at once would block it.
 */
async function sumInSlices(
  db: Reader,
  { table, column: name, above, rows }: Slices,
  count: (range: Range) => Promise<number>,
): Promise<number> {
  const column = sql.ref<number>(name)
  let total = 0
  for (let after = above; ;) {
    const last = await db
      .selectFrom(sql<{ at: number }>`${sql.table(table)}`.as('counted'))
      .where(sql<boolean>`${column} > ${after}`)
      .select(column.as('at'))
      .orderBy(column)
      .limit(1)
      .offset(rows - 1)
      .executeTakeFirst()
    total += await count({ after, upTo: last?.at })
    if (last === undefined) return total
    after = last.at
    await setImmediate()
  }
}
