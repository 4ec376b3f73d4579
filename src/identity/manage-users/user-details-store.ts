import { Type } from 'typebox'
import type { Reader } from '../../storage/database.ts'
import { Attributes, unpackAttributes } from '../roles/attributes.ts'
import { sessionLives } from '../sessions/session-store.ts'
import { accountExists } from '../users/account-state.ts'
import { toUser, USER_COLUMNS, packedPermissions, packedRoles, unpackPermissions } from '../users/user-store.ts'
import { User } from '../users/user.ts'

/** A user as administrators see one. */
export const Person = Type.Object({ ...User.properties, attributes: Attributes }, { title: 'Person' })
export type Person = Type.Static<typeof Person>

/** What a query selects to make one of a row of `users`. */
export const PERSON_COLUMNS = [...USER_COLUMNS, 'users.attributes'] as const

export const toPerson = (row: Parameters<typeof toUser>[0] & { attributes: string | null }): Person => ({
  ...toUser(row),
  attributes: unpackAttributes(row.attributes),
})

export interface UserDetails {
  user: Person
  permissions: string[]
  hasPassword: boolean
  hasSecondStep: boolean
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
    .select(['users.password_hash', 'users.totp_since'])
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
    hasSecondStep: row.totp_since !== null,
    passkeys: row.passkeys ?? 0,
    sessions: row.sessions ?? 0,
  }
}
