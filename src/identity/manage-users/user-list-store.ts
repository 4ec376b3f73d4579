import { sql } from 'kysely'
import { encodeCursor, MAX_ROWS_EXAMINED, type Position, toPage } from '../../platform/http/cursor.ts'
import type { Reader } from '../../storage/database.ts'
import { accountExists } from '../users/account-state.ts'
import { packedRoles } from '../users/user-store.ts'
import { type Person, PERSON_COLUMNS, toPerson } from './user-details-store.ts'
import { compare, segmentsOf, type UserConditions, type Segment, type UserSort } from './user-filter-store.ts'

interface UserPage {
  limit: number
  sort: UserSort
  after: Position | undefined
  /** Listed before all others. */
  first: string | undefined
  /** Nobody who has signed in is in the list. */
  isInvited: boolean
}

/** A page of the users that the conditions let through. */
export async function listUsers(
  db: Reader,
  conditions: UserConditions,
  { limit, sort, after, first, isInvited }: UserPage,
): Promise<{ users: Person[]; nextCursor: string | null }> {
  if (conditions.ids?.length === 0) return { users: [], nextCursor: null }
  const isFirstPage = after === undefined
  const users =
    first !== undefined && isFirstPage
      ? (await rowsOf(db, conditions).where('users.id', '=', first).execute()).map(toPerson)
      : []
  const segments = segmentsOf(sort, after, isInvited)
  for (const segment of segments) {
    const page = await readSegment(db, conditions, segment, limit - users.length, first)
    users.push(...page.items)
    if (page.nextCursor !== null) return { users, nextCursor: page.nextCursor }
    // The next segment begins on the next page.
    if (users.length === limit && segment !== segments.at(-1) && page.end !== undefined)
      return { users, nextCursor: encodeCursor(page.end) }
  }
  return { users, nextCursor: null }
}

async function readSegment(
  db: Reader,
  conditions: UserConditions,
  segment: Segment,
  limit: number,
  leftOut: string | undefined,
) {
  const { columns, direction, after, where } = segment
  const [later, upTo] = direction === 'asc' ? (['>', '<='] as const) : (['<', '>='] as const)
  const stop = await findStop(db, conditions, segment, later)
  let query = rowsOf(db, conditions)
  if (where) query = query.where(where)
  if (after) query = query.where(compare(segment, later, after))
  if (stop) query = query.where(compare(segment, upTo, valuesOf(segment, stop)))
  if (leftOut !== undefined) query = query.where('users.id', '!=', leftOut)
  for (const column of columns) query = query.orderBy(`users.${column}`, direction)
  const rows = await query.limit(limit + 1).execute()
  const last = rows.at(-1)
  return {
    ...toPage(rows, limit, segment.position, toPerson, stop && segment.position(stop)),
    end: last && segment.position(last),
  }
}

/** When each row has to be checked, a page examines a bounded number: this is the last one of them, if the segment has more. */
async function findStop(db: Reader, { ids, perRow, served }: UserConditions, segment: Segment, later: '<' | '>') {
  if (perRow.length === 0 || ids !== undefined) return undefined
  let query = db
    .selectFrom('users')
    .select(['users.id', 'users.email', 'users.created_at', 'users.last_login_at'])
    .where(accountExists)
  for (const condition of [...served, segment.where ?? []].flat()) query = query.where(condition)
  if (segment.after) query = query.where(compare(segment, later, segment.after))
  for (const column of segment.columns) query = query.orderBy(`users.${column}`, segment.direction)
  return query
    .limit(1)
    .offset(MAX_ROWS_EXAMINED - 1)
    .executeTakeFirst()
}

type StopRow = NonNullable<Awaited<ReturnType<typeof findStop>>>

const valuesOf = ({ columns }: Segment, row: StopRow): (string | number)[] => columns.map((column) => row[column] ?? 0)

function rowsOf(db: Reader, { ids, perRow, served }: UserConditions) {
  let query = db.selectFrom('users').select(PERSON_COLUMNS).select(packedRoles.as('roles')).where(accountExists)
  if (ids !== undefined) query = query.where('users.id', 'in', ids)
  for (const condition of [...served, ...perRow]) query = query.where(condition)
  return query
}

/** The user with exactly this email, username or id. Each column has an index. */
export async function findUserIdByName(db: Reader, text: string): Promise<string | undefined> {
  const name = text.toLowerCase()
  const row = await db
    .selectFrom('users')
    .select('id')
    .where((eb) => eb.or([eb('email', '=', name), eb('preferred_username', '=', name), eb('id', '=', text)]))
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** Totals are counted up to this number. */
const MAX_TOTAL = 10_000
/** How many users are examined for a total when each has to be checked: the newest ones. Searching a text takes longest. */
const MAX_SEARCHED = 10_000
const MAX_CHECKED = 100_000

/** How many users the conditions let through. `totalIsMore` when there are more, or were too many to examine. */
export async function countUsers(
  db: Reader,
  { ids, perRow, served, onlySet, isSearch }: UserConditions,
): Promise<{ total: number; totalIsMore: boolean }> {
  if (ids?.length === 0) return { total: 0, totalIsMore: false }
  const matching = sql.join([sql`deleted_at is null`, ...served, ...perRow], sql` and `)
  const isPartial = onlySet === undefined && ids === undefined && perRow.length > 0
  const maxExamined = isSearch ? MAX_SEARCHED : MAX_CHECKED
  const examined = isPartial
    ? sql`(select * from users order by created_at desc, id desc limit ${sql.lit(maxExamined)}) as users`
    : sql`users`
  const listed = ids === undefined ? sql`` : sql` and users.id in (${sql.join(ids)})`
  const counted = onlySet?.members ?? sql`select 1 from ${examined} where ${matching}${listed}`
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from (${counted} limit ${sql.lit(MAX_TOTAL + 1)}) as counted`.execute(db)
  const found = rows[0]?.n ?? 0
  if (found > MAX_TOTAL) return { total: MAX_TOTAL, totalIsMore: true }
  return { total: found, totalIsMore: isPartial && (await hasMoreUsersThan(db, maxExamined)) }
}

const hasMoreUsersThan = async (db: Reader, count: number): Promise<boolean> =>
  (await db.selectFrom('users').select('id').orderBy('created_at').orderBy('id').limit(1).offset(count).execute())
    .length > 0
