import { type RawBuilder, sql } from 'kysely'
import type { Position } from '../../platform/http/cursor.ts'

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
