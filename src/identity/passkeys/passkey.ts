import type { Selectable } from 'kysely'
import { Type } from 'typebox'
import { Nullable, Time } from '../../platform/http/contracts.ts'
import { readTextList } from '../../storage/columns.ts'
import type { Schema } from '../../storage/schema.ts'

/** A passkey as the API shows it to its owner, without the public key. */
export const Passkey = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    credentialId: Type.String({ description: 'Base64url.' }),
    name: Type.String(),
    transports: Type.Array(Type.String()),
    deviceType: Type.Union([Type.Literal('singleDevice'), Type.Literal('multiDevice')], {
      description: 'Whether it is bound to one device or can be synchronised.',
    }),
    backedUp: Type.Boolean(),
    aaguid: Type.String({
      description: 'The model of the authenticator as it reports it; zeros when it reports none.',
    }),
    createdAt: Time,
    lastUsedAt: Nullable(Time),
  },
  { title: 'Passkey' },
)
export type Passkey = Type.Static<typeof Passkey>

export const toPasskey = (row: Selectable<Schema['passkeys']>): Passkey => ({
  id: row.id,
  credentialId: row.credential_id,
  name: row.name,
  transports: readTextList(row.transports),
  deviceType: row.device_type,
  backedUp: row.backed_up === 1,
  aaguid: row.aaguid,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
})
