import { sql, type RawBuilder } from 'kysely'
import type { Position } from '../../platform/http/cursor.ts'
import { contains } from '../../storage/columns.ts'
import type { Reader } from '../../storage/database.ts'
import { hasPasskey } from './user-details-store.ts'

export const USER_SORTS = ['email', '-email', 'createdAt', '-createdAt', 'lastLoginAt', '-lastLoginAt'] as const
export type UserSort = (typeof USER_SORTS)[number]

/** The columns of a row that orders use. */
export interface OrderedRow {
  id: string
  email: string
  created_at: number
  last_login_at: number | null
}

/** A part of the list that one index has in its order. */
export interface Segment {
  where: RawBuilder<boolean> | undefined
  columns: readonly (keyof OrderedRow)[]
  /** What a cursor holds for a row: a number, and the last column. */
  position(row: OrderedRow): Position
  direction: 'asc' | 'desc'
  /** The values of the columns that the page starts after. */
  after: (string | number)[] | undefined
}

/** Of a user who never signed in; times are never negative. */
const NEVER = -1

/** The list as segments, from where a page starts. `isInvited`: nobody who has signed in is in the list. */
export function segmentsOf(sort: UserSort, after: Position | undefined, isInvited = false): Segment[] {
  const direction = sort.startsWith('-') ? 'desc' : 'asc'
  if (sort === 'lastLoginAt' || sort === '-lastLoginAt') {
    const segments = bySignIn(direction, after)
    return isInvited ? segments.filter(({ columns }) => columns.length === 1) : segments
  }
  const byEmail: Segment = {
    where: undefined,
    columns: ['email'],
    position: (row) => [0, row.email],
    direction,
    after: after && [after[1]],
  }
  const byAge: Segment = {
    where: undefined,
    columns: ['created_at', 'id'],
    position: (row) => [row.created_at, row.id],
    direction,
    after,
  }
  return [sort === 'email' || sort === '-email' ? byEmail : byAge]
}

/**
 * Users who never signed in come first in both directions. The engines order absent values differently, so they are a
 * segment of their own.
 */
function bySignIn(direction: Segment['direction'], after: Position | undefined): Segment[] {
  const isAmongNever = after === undefined || after[0] === NEVER
  const never: Segment = {
    where: sql<boolean>`users.last_login_at is null`,
    columns: ['id'],
    position: (row) => [NEVER, row.id],
    direction,
    after: after && [after[1]],
  }
  const signedIn: Segment = {
    where: sql<boolean>`users.last_login_at is not null`,
    columns: ['last_login_at', 'id'],
    position: (row) => [row.last_login_at ?? NEVER, row.id],
    direction,
    after: isAmongNever ? undefined : after,
  }
  return isAmongNever ? [never, signedIn] : [signedIn]
}

/**
 * Compares a row with the values of the columns of a segment. The condition on the first column alone is for PostgreSQL, which
 * can't estimate how many rows a comparison of pairs matches.
 */
export function compare(
  { columns }: Segment,
  operator: '<' | '<=' | '>' | '>=',
  values: (string | number)[],
): RawBuilder<boolean> {
  const refs = columns.map((column) => sql.ref(`users.${column}`))
  const [first] = refs
  if (first === undefined || refs.length === 1) return sql<boolean>`${first} ${sql.raw(operator)} ${values[0]}`
  return sql<boolean>`${first} ${sql.raw(operator.startsWith('<') ? '<=' : '>=')} ${values[0]}
    and (${sql.join(refs)}) ${sql.raw(operator)} (${sql.join(values)})`
}

/** `active`: everybody who is not disabled. `invited`: never signed in. `scheduled`: an action is planned. */
export const USER_STATUSES = ['active', 'disabled', 'invited', 'scheduled'] as const

/** Who signs in with less than others: without a passkey; with neither a passkey nor a second step. */
export const SIGN_IN_LACKS = ['passkey', 'passkey_and_second_step'] as const

export interface UserFilter {
  q?: string
  status?: (typeof USER_STATUSES)[number]
  /** The id of a role. */
  role?: string
  lacks?: (typeof SIGN_IN_LACKS)[number]
}

/** Users whose ids an index lists. */
interface UserSet {
  members: RawBuilder<{ id: string }>
  /** Checks one row of `users`. No index serves it: an engine that used one would have to sort all members for each page. */
  holds: RawBuilder<boolean>
  /** The condition of an index that has the members in these orders. */
  inOrder?: { sorts: UserSort[]; condition: RawBuilder<boolean> }
}

/** What a filter means for a query. */
export interface UserConditions {
  /** Only these users: a set of the filter is small, so its members were looked up first. */
  ids: string[] | undefined
  /** Served by the index that has the users in the order of the list. */
  served: RawBuilder<boolean>[]
  /** Checked for each row. */
  perRow: RawBuilder<boolean>[]
  /** A text is searched. */
  isSearch: boolean
  /** The only condition is to be in this set, which is not small. */
  onlySet: UserSet | undefined
}

/** Up to this many members of a set are looked up first; of a larger one, each row is checked. */
const MAX_LISTED = 1000

export async function readConditions(
  db: Reader,
  { q = '', status, role, lacks }: UserFilter,
  { sort, actorId }: { sort: UserSort; actorId: string },
): Promise<UserConditions> {
  const sets: UserSet[] = []
  if (role !== undefined) sets.push(holdersOf(role))
  if (status === 'scheduled') sets.push(scheduledFor(actorId))
  else if (status !== undefined && status !== 'active') sets.push(STATUS_SETS[status])
  const perRow = [
    ...(q === '' ? [] : [matches(q)]),
    ...(status === 'active' ? [sql<boolean>`disabled_at is null`] : []),
    ...(lacks === undefined ? [] : [sql<boolean>`not ${hasPasskey}`]),
    ...(lacks === 'passkey_and_second_step' ? [sql<boolean>`users.totp_since is null`] : []),
  ]
  let ids: Set<string> | undefined
  const large: UserSet[] = []
  for (const set of sets) {
    const { rows } = await sql<{ id: string }>`${set.members} limit ${MAX_LISTED + 1}`.execute(db)
    if (rows.length > MAX_LISTED) large.push(set)
    else {
      const found = new Set(rows.map(({ id }) => id))
      ids = ids === undefined ? found : ids.intersection(found)
    }
  }
  const onlySet = perRow.length === 0 && ids === undefined && large.length === 1 ? large[0] : undefined
  const servedBy = ({ inOrder }: UserSet) => (inOrder?.sorts.includes(sort) ? [inOrder.condition] : [])
  return {
    ids: ids && [...ids],
    served: large.flatMap(servedBy),
    perRow: [...perRow, ...large.filter((set) => servedBy(set).length === 0).map(({ holds }) => holds)],
    isSearch: q !== '',
    onlySet,
  }
}

/** `holds` is no EXISTS, which PostgreSQL would turn into a join that reads every holder of the role. */
const holdersOf = (roleId: string): UserSet => ({
  members: sql`select user_id as id from user_roles where role_id = ${roleId}`,
  holds: sql`(select 1 from user_roles where user_roles.user_id = users.id and user_roles.role_id = ${roleId}) = 1`,
})

/** Written like the conditions of the partial indexes that serve them. */
const STATUS_SETS: Record<'disabled' | 'invited', UserSet> = {
  disabled: {
    members: sql`select id from users where disabled_at is not null and deleted_at is null`,
    holds: sql`coalesce(users.disabled_at, -1) <> -1`,
    inOrder: { sorts: ['createdAt', '-createdAt'], condition: sql`users.disabled_at is not null` },
  },
  invited: {
    members: sql`select id from users where last_login_at is null and deleted_at is null`,
    holds: sql`coalesce(users.last_login_at, -1) = -1`,
    inOrder: { sorts: ['lastLoginAt', '-lastLoginAt'], condition: sql`users.last_login_at is null` },
  },
}

/** Nobody learns what is planned for their own account. */
const scheduledFor = (actorId: string): UserSet => ({
  members: sql`select distinct user_id as id from lifecycle_actions
    where status in ('pending', 'running') and user_id <> ${actorId}`,
  holds: sql`(users.id <> ${actorId} and (select 1 from lifecycle_actions
    where lifecycle_actions.user_id = users.id and lifecycle_actions.status in ('pending', 'running') limit 1) = 1)`,
})

/** The text anywhere in a name or an address, or the whole id. */
const matches = (text: string): RawBuilder<boolean> =>
  sql<boolean>`(${contains('users.email', text)} or ${contains('users.display_name', text)}
    or ${contains('users.preferred_username', text)} or users.id = ${text})`
