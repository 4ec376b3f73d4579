import { Type } from 'typebox'
import { Nullable, Time } from '../../platform/http/contracts.ts'

/** A saved public key, as its owner sees it. */
export const UserSshKey = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    publicKey: Type.String({ description: 'The line of its .pub file.' }),
    fingerprint: Type.String({ description: 'In the format of ssh-keygen -l.' }),
    createdAt: Time,
    lastUsedAt: Nullable(Time),
    ephemeral: Type.Boolean({ description: 'Deleted by itself when its last certificate expires.' }),
  },
  { title: 'UserSshKey' },
)
export type UserSshKey = Type.Static<typeof UserSshKey>
