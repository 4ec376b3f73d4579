import type { Selectable } from 'kysely'
import { Type } from 'typebox'
import { refuse } from '../../errors.ts'
import { Nullable, Time } from '../../http/contracts.ts'
import type { Schema } from '../../storage/schema.ts'
import { readTextList } from '../../storage/text-list.ts'

export const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'] as const
export type GrantType = (typeof GRANT_TYPES)[number]
export const CLIENT_TYPES = ['confidential', 'public'] as const
export type ClientType = (typeof CLIENT_TYPES)[number]

/** A registered application as the API shows it, without its secret. */
export const Client = Type.Object(
  {
    client_id: Type.String(),
    name: Type.String(),
    operator: Nullable(Type.String({ description: 'Who runs the application; shown on the consent page.' })),
    clientType: Type.Enum(CLIENT_TYPES),
    redirect_uris: Type.Array(Type.String()),
    post_logout_redirect_uris: Type.Array(Type.String()),
    scopes: Type.Array(Type.String()),
    grantTypes: Type.Array(Type.Enum(GRANT_TYPES)),
    createdAt: Time,
  },
  { title: 'Client' },
)
export type Client = Type.Static<typeof Client>

/** A client with the digest of its secret, for authentication. */
export interface KnownClient extends Client {
  secretHash: string | null
}

export const toClient = (row: Omit<Selectable<Schema['oauth_clients']>, 'deleted_at'>): Client => ({
  client_id: row.client_id,
  name: row.name,
  operator: row.operator,
  clientType: row.client_type,
  redirect_uris: readTextList(row.redirect_uris),
  post_logout_redirect_uris: readTextList(row.post_logout_redirect_uris),
  scopes: readTextList(row.scopes),
  grantTypes: JSON.parse(row.grant_types) as GrantType[],
  createdAt: row.created_at,
})

export const refuseUnknownClient = (): never => refuse('not_found', 'There is no such application.')
