import type { Selectable } from 'kysely'
import { Type } from 'typebox'
import { refuse } from '../../errors.ts'
import { Nullable, Time } from '../../http/contracts.ts'
import type { Schema } from '../../storage/schema.ts'
import { readTextList } from '../../storage/text-list.ts'
import { hasScope } from '../scope.ts'

/** RFC 8628 section 3.4. */
export const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'
export const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials', DEVICE_CODE] as const
export type GrantType = (typeof GRANT_TYPES)[number]
/** The client of `latchkey-ssh`, the program for people. It is built in, and only its tokens have the scope `ssh`. */
export const SSH_CLIENT_ID = 'latchkey-ssh'
export const SSH_SCOPE = 'ssh'
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
    builtIn: Type.Boolean({ description: 'Part of the service: it can be turned off, but not changed or deleted.' }),
    disabled: Type.Boolean({ description: 'Turned off: it gets no tokens, and those that it has do not work.' }),
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
  builtIn: row.client_id === SSH_CLIENT_ID,
  disabled: row.disabled_at !== null,
  createdAt: row.created_at,
})

/** RFC 6749 section 1.5. The client that is built in renews for as long as its sign-in lasts, without `offline_access`. */
export const issuesRefreshToken = ({ client_id, grantTypes }: Client, scope: string): boolean =>
  grantTypes.includes('refresh_token') && (client_id === SSH_CLIENT_ID || hasScope(scope, 'offline_access'))

export const refuseUnknownClient = (): never => refuse('not_found', 'There is no such application.')
