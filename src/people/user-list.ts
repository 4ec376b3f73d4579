import { sql } from 'kysely'
import { MAX_ROWS_EXAMINED, type Position, toPage } from '../http/cursor.ts'
import type { Reader } from '../storage/database.ts'
import { accountExists } from '../users/account-standing.ts'
import { packedPermissions, packedRoles, toUser, unpackPermissions, type User, USER_COLUMNS } from '../users/user.ts'

export interface UserFilter {
  q?: string
  status?: 'active' | 'disabled'
  roleId?: string
}

/** Newest first; whoever is called exactly what is searched for stands before all others. */
export async function listUsers(db: Reader, filter: UserFilter, limit: number, after: Position | undefined) {
  const { q = '', status, roleId } = filter
  const members = roleId === undefined ? undefined : await findFewMembers(db, roleId)
  const few = members !== undefined && members.length <= FEW
  if (members?.length === 0) return { items: [], nextCursor: null }
  const sought = q !== '' && limit > 1 ? await findNamed(db, q) : undefined

  // What an index serves.
  const walked = db
    .selectFrom('users')
    .where(accountExists)
    .$if(status === 'disabled', (query) => query.where('users.disabled_at', 'is not', null))
    .$if(few, (query) => query.where('users.id', 'in', members ?? []))
  // What each row has to be asked.
  const isSifted = q !== '' || status === 'active' || (members !== undefined && !few)
  const sifted = walked
    .select(USER_COLUMNS)
    .select(packedRoles.as('roles'))
    .$if(q !== '', (query) => query.where(matches(q)))
    .$if(status === 'active', (query) => query.where('users.disabled_at', 'is', null))
    .$if(members !== undefined && !few, (query) => query.where(holds(roleId ?? '')))

  // Times alone are said as well: PostgreSQL can tell how few rows lie between two of them, but not between two pairs.
  const beyond = sql<boolean>`users.created_at <= ${after?.[0]}
    and (users.created_at, users.id) < (${after?.[0]}, ${after?.[1]})`
  const stop = isSifted
    ? await walked
        .select(['users.created_at', 'users.id'])
        .$if(after !== undefined, (query) => query.where(beyond))
        .orderBy('users.created_at', 'desc')
        .orderBy('users.id', 'desc')
        .limit(1)
        .offset(MAX_ROWS_EXAMINED - 1)
        .executeTakeFirst()
    : undefined
  const first = sought !== undefined && after === undefined ? await sifted.where('users.id', '=', sought).execute() : []
  const rows = await sifted
    .$if(sought !== undefined, (query) => query.where('users.id', '!=', sought ?? ''))
    .$if(after !== undefined, (query) => query.where(beyond))
    .$if(stop !== undefined, (query) =>
      query.where(sql<boolean>`users.created_at >= ${stop?.created_at}
        and (users.created_at, users.id) >= (${stop?.created_at}, ${stop?.id})`),
    )
    .orderBy('users.created_at', 'desc')
    .orderBy('users.id', 'desc')
    .limit(limit - first.length + 1)
    .execute()
  const page = toPage(rows, limit - first.length, positionOf, toUser, stop && positionOf(stop))
  return { ...page, items: [...first.map(toUser), ...page.items] }
}

const positionOf = (row: { created_at: number; id: string }): Position => [row.created_at, row.id]

/** A role that no more people hold is listed by its holders; of a larger one, whoever comes up is asked. */
const FEW = 1000

async function findFewMembers(db: Reader, roleId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('user_roles')
    .select('user_id')
    .where('role_id', '=', roleId)
    .limit(FEW + 1)
    .execute()
  return rows.map(({ user_id }) => user_id)
}

const holds = (roleId: string) => sql<boolean>`exists (
  select 1 from user_roles where user_roles.user_id = users.id and user_roles.role_id = ${roleId})`

/** Whose address, username or identifier this is. Each has an index of its own. */
async function findNamed(db: Reader, text: string): Promise<string | undefined> {
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
  user: User
  permissions: string[]
  hasPassword: boolean
  passkeys: number
  sessions: number
}

/** A user, what roles add up to, and the ways in there are. */
export async function findUserDetails(db: Reader, id: string, now: number): Promise<UserDetails | undefined> {
  const row = await db
    .selectFrom('users')
    .select(USER_COLUMNS)
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
        .where('sessions.expires_at', '>', now)
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('sessions'),
    ])
    .where('users.id', '=', id)
    .where(accountExists)
    .executeTakeFirst()
  if (!row) return undefined
  return {
    user: toUser(row),
    permissions: [...unpackPermissions(row.permissions)].toSorted(),
    hasPassword: row.password_hash !== null,
    passkeys: row.passkeys ?? 0,
    sessions: row.sessions ?? 0,
  }
}
