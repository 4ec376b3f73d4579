import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Reader } from '../../storage/database.ts'
import type { RoleDemand } from '../../vocabulary/role-demands.ts'
import { Attributes, unpackAttributes } from '../roles/attributes.ts'
import { findLacking } from '../roles/role-demands.ts'
import { sessionLives } from '../sessions/session-store.ts'
import { accountExists } from '../users/account-state.ts'
import { toUser, USER_COLUMNS, packedPermissions, packedRoles, unpackPermissions } from '../users/user-store.ts'
import { User } from '../users/user.ts'

/** A user as administrators see one. */
export const Person = Type.Object(
  {
    ...User.properties,
    attributes: Attributes,
    hasPasskey: Type.Boolean(),
    hasSecondStep: Type.Boolean({ description: 'A sign-in with the password asks for a code as well.' }),
  },
  { title: 'Person' },
)
export type Person = Type.Static<typeof Person>

/** For a query with `users`. A count is no EXISTS, which PostgreSQL would turn into a join that reads all passkeys. */
export const hasPasskey = sql<boolean>`((select count(*) from passkeys where passkeys.user_id = users.id) > 0)`

/** What a query selects to make one of a row of `users`. */
export const PERSON_COLUMNS = [
  ...USER_COLUMNS,
  'users.attributes',
  'users.totp_since',
  hasPasskey.as('has_passkey'),
] as const

type PersonRow = Parameters<typeof toUser>[0] & {
  attributes: string | null
  totp_since: number | null
  has_passkey: boolean | number
}

export const toPerson = (row: PersonRow): Person => ({
  ...toUser(row),
  attributes: unpackAttributes(row.attributes),
  hasPasskey: Boolean(row.has_passkey),
  hasSecondStep: row.totp_since !== null,
})

export interface UserDetails {
  user: Person
  permissions: string[]
  hasPassword: boolean
  hasSecondStep: boolean
  /** What a role demands and for which this person has nothing. */
  mustSetUp: Exclude<RoleDemand, 'none'> | null
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
    .select([packedRoles.as('roles'), packedPermissions.as('permissions')])
    .select('users.password_hash')
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
  const lacking = await findLacking(db, id)
  return {
    user: toPerson(row),
    permissions: [...unpackPermissions(row.permissions)].toSorted(),
    hasPassword: row.password_hash !== null,
    hasSecondStep: row.totp_since !== null,
    mustSetUp: lacking?.means.length === 0 && lacking.demand !== 'none' ? lacking.demand : null,
    passkeys: row.passkeys ?? 0,
    sessions: row.sessions ?? 0,
  }
}
