import type { Selectable } from 'kysely'
import { Type } from 'typebox'
import { refuse } from '../../errors.ts'
import { Nullable, Time } from '../../http/contracts.ts'
import type { Schema } from '../../storage/schema.ts'
import { readTextList } from '../../storage/text-list.ts'
import { ClaimMapping } from '../claims/claim-mapping.ts'

export const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'] as const
export type GrantType = (typeof GRANT_TYPES)[number]
export const CLIENT_TYPES = ['confidential', 'public'] as const
export type ClientType = (typeof CLIENT_TYPES)[number]

/** The settings with a few possible values, the default first. */
export const ID_TOKEN_CLAIMS = ['minimal', 'full'] as const
export const ID_TOKEN_ALGORITHMS = ['ES256', 'RS256'] as const
export const PKCE = ['required', 'optional'] as const
export const CONSENT = ['ask', 'skip'] as const

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
    allowedRoles: Nullable(
      Type.Array(Type.String(), {
        description: 'Ids of the roles whose holders may use the application; null for everybody.',
      }),
    ),
    idTokenClaims: Type.Enum(ID_TOKEN_CLAIMS),
    id_token_signed_response_alg: Type.Enum(ID_TOKEN_ALGORITHMS),
    claims: Type.Array(ClaimMapping),
    pkce: Type.Enum(PKCE),
    pkceLastMissingAt: Nullable(Type.Integer({ description: 'When it last got a code without PKCE.' })),
    pkceLastSentAt: Nullable(
      Type.Integer({ description: 'When it last got a code with PKCE, while PKCE is optional.' }),
    ),
    consent: Type.Enum(CONSENT),
    launchUrl: Nullable(Type.String()),
    logoUrl: Nullable(Type.String()),
    createdAt: Time,
  },
  { title: 'Client' },
)
export type Client = Type.Static<typeof Client>

/** A client with the digest of its secret, for authentication. */
export interface KnownClient extends Client {
  secretHash: string | null
}

/** A row with the roles that may use it, packed into one text. */
export type ClientRow = Omit<Selectable<Schema['oauth_clients']>, 'deleted_at'> & { allowedRoles: string | null }

export const toClient = (row: ClientRow): Client => ({
  client_id: row.client_id,
  name: row.name,
  operator: row.operator,
  clientType: row.client_type,
  redirect_uris: readTextList(row.redirect_uris),
  post_logout_redirect_uris: readTextList(row.post_logout_redirect_uris),
  scopes: readTextList(row.scopes),
  grantTypes: JSON.parse(row.grant_types) as GrantType[],
  allowedRoles: row.restricted === 0 ? null : (row.allowedRoles?.split(' ') ?? []),
  idTokenClaims: row.id_token_claims,
  id_token_signed_response_alg: row.id_token_alg,
  claims: JSON.parse(row.claims) as ClaimMapping[],
  pkce: row.pkce,
  pkceLastMissingAt: row.pkce_missing_at,
  pkceLastSentAt: row.pkce_sent_at,
  consent: row.consent,
  launchUrl: row.launch_url,
  logoUrl: logoUrl(row.client_id, row.logo_version),
  createdAt: row.created_at,
})

/** The version makes a new logo a new address, so that caches never show the old one. */
export const logoUrl = (clientId: string, version: string | null): string | null =>
  version === null ? null : `/oauth/clients/${clientId}/logo?v=${version}`

export const refuseUnknownClient = (): never => refuse('not_found', 'There is no such application.')
