import { sql } from 'kysely'
import { type Position, toPage } from '../http/cursor.ts'
import type { Db } from '../storage/schema.ts'
import { packedPermissions, packedRoles, toUser, unpackPermissions, type User, USER_COLUMNS } from './user.ts'

export interface UserFilter {
  q?: string
  status?: 'active' | 'disabled'
  roleId?: string
}

/** Newest first. */
export async function listUsers(db: Db, filter: UserFilter, limit: number, after: Position | undefined) {
  const { q, status, roleId } = filter
  const rows = await db
    .selectFrom('users')
    .select(USER_COLUMNS)
    .select(packedRoles.as('roles'))
    .$if(q !== undefined && q !== '', (query) => query.where(matches(q ?? '')))
    .$if(status !== undefined, (query) => query.where('users.disabled_at', status === 'active' ? 'is' : 'is not', null))
    .$if(roleId !== undefined, (query) =>
      query.where('users.id', 'in', (eb) =>
        eb
          .selectFrom('user_roles')
          .select('user_roles.user_id')
          .where('user_roles.role_id', '=', roleId ?? ''),
      ),
    )
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(users.created_at, users.id) < (${after?.[0]}, ${after?.[1]})`),
    )
    .orderBy('users.created_at', 'desc')
    .orderBy('users.id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows, limit, (row) => [row.created_at, row.id], toUser)
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
export async function findUserDetails(db: Db, id: string, now: number): Promise<UserDetails | undefined> {
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
