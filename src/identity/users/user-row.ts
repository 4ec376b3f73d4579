import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Schema } from '../../storage/schema.ts'
import { DEFAULT_LOCALE } from '../../vocabulary/locales.ts'
import { avatarUrl, type User } from './user.ts'

/** What a query selects to make a `User` of a row of `users`. */
export const USER_COLUMNS = [
  'users.id',
  'users.email',
  'users.email_verified',
  'users.display_name',
  'users.given_name',
  'users.family_name',
  'users.preferred_username',
  'users.avatar_version',
  'users.disabled_at',
  'users.created_at',
  'users.last_login_at',
  'users.locale',
] as const

/** The name of a column of `users` without that of its table. */
export type UserColumn<Qualified> = Qualified extends `users.${infer Column extends keyof Schema['users']}`
  ? Column
  : never

type UserRow = Pick<Selectable<Schema['users']>, UserColumn<(typeof USER_COLUMNS)[number]>>

// Control characters can't be part of a role's name.
const BETWEEN_FIELDS = '\u001f'
const BETWEEN_ROLES = '\u001e'

/** The roles of the user of the enclosing query, packed into one text so that a user is one row. */
export const packedRoles: RawBuilder<string | null> = sql<string | null>`(
  select string_agg(roles.id || ${BETWEEN_FIELDS} || roles.name, ${BETWEEN_ROLES})
  from user_roles join roles on roles.id = user_roles.role_id
  where user_roles.user_id = users.id)`

/** Permissions never hold a space. One that several roles have is repeated; `unpackPermissions` makes a set. */
export const packedPermissions: RawBuilder<string | null> = sql<string | null>`(
  select string_agg(role_permissions.permission, ' ')
  from user_roles join role_permissions on role_permissions.role_id = user_roles.role_id
  where user_roles.user_id = users.id)`

export const unpackRoles = (packed: string | null): User['roles'] =>
  packed === null
    ? []
    : packed
        .split(BETWEEN_ROLES)
        .map((each) => {
          const [id = '', name = ''] = each.split(BETWEEN_FIELDS)
          return { id, name }
        })
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))

export const unpackPermissions = (packed: string | null): Set<string> =>
  new Set(packed === null ? [] : packed.split(' '))

export const toUser = (row: UserRow & { roles: string | null }): User => ({
  id: row.id,
  email: row.email,
  email_verified: row.email_verified === 1,
  displayName: row.display_name,
  given_name: row.given_name,
  family_name: row.family_name,
  preferredUsername: row.preferred_username,
  disabled_at: row.disabled_at,
  createdAt: row.created_at,
  lastLoginAt: row.last_login_at,
  avatarUrl: avatarUrl(row.id, row.avatar_version),
  locale: row.locale ?? DEFAULT_LOCALE,
  roles: unpackRoles(row.roles),
})
