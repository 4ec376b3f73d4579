import { Type } from 'typebox'
import { Time } from '../../platform/http/contracts.ts'

/** The scopes that a user has granted to an application. */
export const OAuthGrant = Type.Object(
  {
    client_id: Type.String(),
    name: Type.String(),
    scopes: Type.Array(Type.String()),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: 'OAuthGrant' },
)
export type OAuthGrant = Type.Static<typeof OAuthGrant>
