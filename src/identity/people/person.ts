import { Type } from 'typebox'
import { Attributes, unpackAttributes } from '../access/attributes.ts'
import { toUser, USER_COLUMNS } from '../users/user-row.ts'
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
