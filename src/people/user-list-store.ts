import { sql } from 'kysely'
import { MAX_ROWS_EXAMINED, type Position, toPage } from '../http/cursor.ts'
import { sessionLives } from '../sessions/session-store.ts'
import type { Reader } from '../storage/database.ts'
import { accountExists, accountIsDisabled, accountMayAct } from '../users/account-standing.ts'
import { packedPermissions, packedRoles, unpackPermissions, USER_COLUMNS } from '../users/user-row.ts'
import { type Person, toPerson } from './person.ts'

const PERSON_COLUMNS = [...USER_COLUMNS, 'users.attributes'] as const

export interface UserFilter {
  q?: string
  status?: 'active' | 'disabled'
  roleId?: string
}

/** Newest first; a user whose email, username or id is exactly the text searched for comes before all others. */
export async function listUsers(db: Reader, filter: UserFilter, limit: number, after: Position | undefined) {
  const { q = '', status, roleId } = filter
  const members = roleId === undefined ? undefined : await listMembers(db, roleId)
  const isSmallRole = members !== undefined && members.length <= MAX_LISTED_MEMBERS
  if (members?.length === 0) return { items: [], nextCursor: null }
  const exactId = q !== '' && limit > 1 ? await findUserIdByName(db, q) : undefined

  // Conditions that an index serves.
  const scanned = db
    .selectFrom('users')
    .where(accountExists)
    .$if(status === 'disabled', (query) => query.where(accountIsDisabled))
    .$if(isSmallRole, (query) => query.where('users.id', 'in', members ?? []))
  // Conditions that each row is checked for.
  const isFiltered = q !== '' || status === 'active' || (members !== undefined && !isSmallRole)
  const filtered = scanned
    .select(PERSON_COLUMNS)
    .select(packedRoles.as('roles'))
    .$if(q !== '', (query) => query.where(matches(q)))
    .$if(status === 'active', (query) => query.where(accountMayAct))
    .$if(members !== undefined && !isSmallRole, (query) => query.where(holds(roleId ?? '')))

  // The condition on the time alone is for PostgreSQL, which can't estimate how many rows a comparison of pairs matches.
  const isAfter = sql<boolean>`users.created_at <= ${after?.[0]}
    and (users.created_at, users.id) < (${after?.[0]}, ${after?.[1]})`
  const stop = isFiltered
    ? await scanned
        .select(['users.created_at', 'users.id'])
        .$if(after !== undefined, (query) => query.where(isAfter))
        .orderBy('users.created_at', 'desc')
        .orderBy('users.id', 'desc')
        .limit(1)
        .offset(MAX_ROWS_EXAMINED - 1)
        .executeTakeFirst()
    : undefined
  const first =
    exactId !== undefined && after === undefined ? await filtered.where('users.id', '=', exactId).execute() : []
  const rows = await filtered
    .$if(exactId !== undefined, (query) => query.where('users.id', '!=', exactId ?? ''))
    .$if(after !== undefined, (query) => query.where(isAfter))
    .$if(stop !== undefined, (query) =>
      query.where(sql<boolean>`users.created_at >= ${stop?.created_at}
        and (users.created_at, users.id) >= (${stop?.created_at}, ${stop?.id})`),
    )
    .orderBy('users.created_at', 'desc')
    .orderBy('users.id', 'desc')
    .limit(limit - first.length + 1)
    .execute()
  const page = toPage(rows, limit - first.length, positionOf, toPerson, stop && positionOf(stop))
  return { ...page, items: [...first.map(toPerson), ...page.items] }
}

const positionOf = (row: { created_at: number; id: string }): Position => [row.created_at, row.id]

/** Up to this many holders of a role are looked up first; for a larger role each user is checked. */
const MAX_LISTED_MEMBERS = 1000

async function listMembers(db: Reader, roleId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('user_roles')
    .select('user_id')
    .where('role_id', '=', roleId)
    .limit(MAX_LISTED_MEMBERS + 1)
    .execute()
  return rows.map(({ user_id }) => user_id)
}

const holds = (roleId: string) => sql<boolean>`exists (
  select 1 from user_roles where user_roles.user_id = users.id and user_roles.role_id = ${roleId})`

/** The user with exactly this email, username or id. Each column has an index. */
async function findUserIdByName(db: Reader, text: string): Promise<string | undefined> {
  const name = text.toLowerCase()
  const row = await db
    .selectFrom('users')
    .select('id')
    .where((eb) => eb.or([eb('email', '=', name), eb('preferred_username', '=', name), eb('id', '=', text)]))
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** The text anywhere in a name or an address, with `%` and `_` meaning themselves. */
function matches(text: string) {
  const pattern = `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`
  const like = (column: string) => sql`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`
  return sql<boolean>`(${like('users.email')} or ${like('users.display_name')}
    or ${like('users.preferred_username')} or users.id = ${text})`
}

export interface UserDetails {
  user: Person
  permissions: string[]
  hasPassword: boolean
  passkeys: number
  sessions: number
}

export async function findPerson(db: Reader, id: string): Promise<Person | undefined> {
  const row = await db
    .selectFrom('users')
    .select(PERSON_COLUMNS)
    .select(packedRoles.as('roles'))
    .where('users.id', '=', id)
    .where(accountExists)
    .executeTakeFirst()
  return row && toPerson(row)
}

/** A user with permissions, passkeys and live sessions. */
export async function findUserDetails(db: Reader, id: string, now: number): Promise<UserDetails | undefined> {
  const row = await db
    .selectFrom('users')
    .select(PERSON_COLUMNS)
    .select([packedRoles.as('roles'), packedPermissions.as('permissions'), 'users.password_hash'])
    .select((eb) => [
      eb
        .selectFrom('passkeys')
        .whereRef('passkeys.user_id', '=', 'users.id')
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('passkeys'),
      eb
        .selectFrom('sessions')
        .whereRef('sessions.user_id', '=', 'users.id')
        .where(sessionLives(now))
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('sessions'),
    ])
    .where('users.id', '=', id)
    .where(accountExists)
    .executeTakeFirst()
  if (!row) return undefined
  return {
    user: toPerson(row),
    permissions: [...unpackPermissions(row.permissions)].toSorted(),
    hasPassword: row.password_hash !== null,
    passkeys: row.passkeys ?? 0,
    sessions: row.sessions ?? 0,
  }
}
