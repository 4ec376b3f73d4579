import { Type } from 'typebox'
import { Attributes, unpackAttributes } from '../access/attributes.ts'
import { toUser } from '../users/user-row.ts'
import { User } from '../users/user.ts'

/** A user as administrators see one. */
export const Person = Type.Object({ ...User.properties, attributes: Attributes }, { title: 'Person' })
export type Person = Type.Static<typeof Person>

export const toPerson = (row: Parameters<typeof toUser>[0] & { attributes: string | null }): Person => ({
  ...toUser(row),
  attributes: unpackAttributes(row.attributes),
})
