import type { Insertable, Updateable } from 'kysely'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { readStatement, type Values } from '../../storage/statement.ts'
import { accountExists } from './account-standing.ts'
import { listRolesWithPrincipals } from './role-principals.ts'
import { packedRoles, toUser, USER_COLUMNS } from './user-row.ts'
import type { User } from './user.ts'

/** A user with what sign-in checks. */
export interface Account {
  user: User
  passwordHash: string | null
  disabledAt: number | null
  /** Registered by its user, whose email address was never confirmed. */
  neverConfirmed: boolean
  /** Its present address was confirmed, also if an administrator has taken that back. */
  wasConfirmed: boolean
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
      .select(['users.password_hash', 'users.never_confirmed', 'users.confirmed_email', 'users.review_access'])
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
      disabledAt: row.disabled_at,
      neverConfirmed: row.never_confirmed === 1,
      wasConfirmed: row.email_verified === 1 || row.confirmed_email === row.email,
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

/** Which of these names a user has, or are principals of a role: a username that is one would give what the role gives. */
export async function listTakenUsernames(db: Reader, names: string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('users')
    .select('preferred_username')
    .where('preferred_username', 'in', names)
    .execute()
  const roles = await listRolesWithPrincipals(db)
  return new Set([...rows.map((row) => row.preferred_username), ...roles.flatMap(({ principals }) => principals)])
}

const users = (db: Reader) =>
  db.selectFrom('users').select(USER_COLUMNS).select(packedRoles.as('roles')).where(accountExists)
