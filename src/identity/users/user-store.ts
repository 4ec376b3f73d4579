import { sql, type Insertable, type Updateable, type RawBuilder, type Selectable } from 'kysely'
import { refuse } from '../../errors.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { readStatement, type Values } from '../../storage/statement.ts'
import { DEFAULT_LOCALE } from '../../vocabulary/locales.ts'
import { accountExists } from './account-state.ts'
import { userErrors } from './user-errors.ts'
import { avatarUrl, type User } from './user.ts'

/** A user with what sign-in checks. */
export interface Account {
  user: User
  passwordHash: string | null
  /** Which of the passwords that the account has had it is. */
  passwordNumber: number
  disabledAt: number | null
  /** Registered by its user, whose email address was never confirmed. */
  neverConfirmed: boolean
  /** Its present address was confirmed, also if an administrator has taken that back. */
  wasConfirmed: boolean
  /** Where its owner reads mail: the present address if it was confirmed, otherwise the last one that was. */
  confirmedEmail: string | null
  /** A sign-in with the password needs a second step. */
  hasSecondStep: boolean
  /** Its address was taken back, and its owner has not decided since what to keep. */
  reviewsAccess: boolean
}

export async function addUser(trx: Trx, user: Insertable<Schema['users']>): Promise<void> {
  await trx.insertInto('users').values(user).execute()
  trx.signal('access-changed', null)
}

export async function findUser(db: Reader, id: string): Promise<User | undefined> {
  const row = await users(db).where('users.id', '=', id).executeTakeFirst()
  return row && toUser(row)
}

const accountBy = (column: 'id' | 'email') =>
  readStatement((db, value: Values<{ wanted: string }>) =>
    users(db)
      .select(['users.password_hash', 'users.password_number', 'users.never_confirmed'])
      .select(['users.confirmed_email', 'users.review_access', 'users.totp_since'])
      .where(`users.${column}`, '=', value('wanted')),
  )
const found = { id: accountBy('id'), email: accountBy('email') }

export const findAccountByEmail = (db: Reader, email: string): Promise<Account | undefined> =>
  findAccount(db, 'email', email)

export const findAccountById = (db: Reader, id: string): Promise<Account | undefined> => findAccount(db, 'id', id)

async function findAccount(db: Reader, column: 'id' | 'email', wanted: string): Promise<Account | undefined> {
  const [row] = await found[column](db, { wanted })
  return (
    row && {
      user: toUser(row),
      passwordHash: row.password_hash,
      passwordNumber: row.password_number,
      disabledAt: row.disabled_at,
      neverConfirmed: row.never_confirmed === 1,
      wasConfirmed: row.email_verified === 1 || row.confirmed_email === row.email,
      confirmedEmail: row.email_verified === 1 ? row.email : row.confirmed_email,
      hasSecondStep: row.totp_since !== null,
      reviewsAccess: row.review_access === 1,
    }
  )
}

/** What a change of an account may write. Attributes are written under the escalation check, by `replaceAttributes`. */
export type UserColumns = Omit<Updateable<Schema['users']>, 'attributes'>

/** The user as it is afterwards; undefined when there is none. */
export async function updateUser(trx: Trx, id: string, change: UserColumns): Promise<User | undefined> {
  if (Object.keys(change).length > 0) await trx.updateTable('users').set(change).where('id', '=', id).execute()
  if (change.preferred_username !== undefined) trx.signal('access-changed', null)
  return findUser(trx, id)
}

/** Replaces a hash by another one of the same password. False when the password is another one by now. */
export async function replacePasswordHash(
  trx: Trx,
  id: string,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const rows = await trx
    .updateTable('users')
    .set({ password_hash: to })
    .where('id', '=', id)
    .where('password_hash', '=', from)
    .returning('id')
    .execute()
  return rows.length > 0
}

/** The user has proved to receive mail at the account's address. */
export async function markEmailConfirmed(trx: Trx, id: string): Promise<void> {
  await trx.updateTable('users').set({ email_verified: 1, never_confirmed: 0 }).where('id', '=', id).execute()
}

const users = (db: Reader) =>
  db.selectFrom('users').select(USER_COLUMNS).select(packedRoles.as('roles')).where(accountExists)

export async function refuseUnknownUser(db: Reader, userId: string): Promise<void> {
  if (!(await findUser(db, userId))) refuse(userErrors.no_such_user())
}

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
