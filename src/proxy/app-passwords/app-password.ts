import { Type } from 'typebox'
import { Nullable, Time } from '../../platform/http/contracts.ts'

/** A password for a program that knows nothing else, as its owner sees it. */
export const AppPassword = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    client_id: Type.String({ description: 'The only site where it works.' }),
    createdAt: Time,
    lastUsedAt: Nullable(Time),
    expiresAt: Nullable(Time),
  },
  { title: 'AppPassword' },
)
export type AppPassword = Type.Static<typeof AppPassword>
