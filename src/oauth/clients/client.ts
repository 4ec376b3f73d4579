import type { Selectable } from 'kysely'
import { Type } from 'typebox'
import { refuse } from '../../errors.ts'
import { Nullable, Time } from '../../platform/http/contracts.ts'
import { readTextList } from '../../storage/columns.ts'
import type { Schema } from '../../storage/schema.ts'
import { ACRS } from '../../vocabulary/sign-in-methods.ts'
import { ClaimMapping } from '../claims/claim-mapping.ts'
import { hasScope } from '../protocol/scope.ts'
import { SiteSettings, readSite } from '../sites/site-settings.ts'
import { clientErrors } from './client-errors.ts'
import { GRANT_TYPES, type GrantType } from './grant-types.ts'

/** The client of `latchkey-ssh`, the program for people. It is built in, and only its tokens have the scope `ssh`. */
export const SSH_CLIENT_ID = 'latchkey-ssh'
export const SSH_SCOPE = 'ssh'
export const CLIENT_TYPES = ['confidential', 'public', 'proxied'] as const
export type ClientType = (typeof CLIENT_TYPES)[number]

/** The settings with a few possible values, the default first. */
export const ID_TOKEN_CLAIMS = ['minimal', 'full'] as const
export const ID_TOKEN_ALGORITHMS = ['ES256', 'RS256'] as const
export const PKCE = ['required', 'optional'] as const
export const CONSENT = ['ask', 'skip'] as const
export const REFRESH_TOKENS = ['offline', 'session'] as const
export const SIGNAL_SUBJECTS = ['own', 'all'] as const
export const SIGNAL_SUBJECT_FORMATS = ['iss_sub', 'email'] as const

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
    introspectionClaims: Type.Boolean({
      description: 'Whether the answers that it gets at introspection have the claims of the scopes of the token.',
    }),
    pkce: Type.Enum(PKCE),
    pkceLastMissingAt: Nullable(Type.Integer({ description: 'When it last got a code without PKCE.' })),
    pkceLastSentAt: Nullable(
      Type.Integer({ description: 'When it last got a code with PKCE, while PKCE is optional.' }),
    ),
    consent: Type.Enum(CONSENT),
    backchannelLogoutUri: Nullable(
      Type.String({ description: 'Where it is told that a session, or all that a person has, has ended.' }),
    ),
    backchannelLogoutSessionRequired: Type.Boolean(),
    sessionExpiry: Type.Boolean(),
    refreshTokens: Type.Enum(REFRESH_TOKENS),
    signalSubjects: Type.Enum(SIGNAL_SUBJECTS),
    signalSubjectFormat: Type.Enum(SIGNAL_SUBJECT_FORMATS),
    requiredAcr: Nullable(Type.Enum(ACRS)),
    maxAuthAge: Nullable(Type.Integer()),
    accessTokenLifetime: Nullable(Type.Integer()),
    refreshTokenLifetime: Nullable(Type.Integer()),
    refreshMaxAge: Nullable(Type.Integer()),
    launchUrl: Nullable(Type.String()),
    logoUrl: Nullable(Type.String()),
    builtIn: Type.Boolean({ description: 'Part of the service: it can be turned off, but not changed or deleted.' }),
    disabled: Type.Boolean({ description: 'Turned off: it gets no codes and tokens, and nobody gets in by it.' }),
    createdAt: Time,
    ...Type.Partial(Type.Object(SiteSettings)).properties,
  },
  { title: 'Client' },
)
export type Client = Type.Static<typeof Client>

/** A client with the digest of its secret, for authentication, and what its codes and tokens carry. */
export interface KnownClient extends Client {
  secretHash: string | null
  /** Codes and tokens of another generation are revoked. */
  generation: number
  /** Has a stream of shared signals. */
  hasStream: boolean
}

/** A row with the roles that may use it, and those of its rules that exist, each packed into one text, and its stream. */
export type ClientRow = Omit<Selectable<Schema['oauth_clients']>, 'deleted_at' | 'telling'> & {
  allowedRoles: string | null
  ruleRoles: string | null
  streamId: string | null
}

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
  introspectionClaims: row.introspection_claims === 1,
  pkce: row.pkce,
  pkceLastMissingAt: row.pkce_missing_at,
  pkceLastSentAt: row.pkce_sent_at,
  consent: row.consent,
  backchannelLogoutUri: row.backchannel_logout_uri,
  backchannelLogoutSessionRequired: row.backchannel_logout_session_required === 1,
  sessionExpiry: row.session_expiry === 1,
  refreshTokens: row.refresh_tokens,
  signalSubjects: row.signal_subjects,
  signalSubjectFormat: row.signal_subject_format,
  requiredAcr: row.required_acr,
  maxAuthAge: row.max_auth_age,
  accessTokenLifetime: row.access_token_lifetime,
  refreshTokenLifetime: row.refresh_token_lifetime,
  refreshMaxAge: row.refresh_max_age,
  launchUrl: row.launch_url,
  logoUrl: logoUrl(row.client_id, row.logo_version),
  builtIn: row.client_id === SSH_CLIENT_ID,
  disabled: row.disabled_at !== null,
  createdAt: row.created_at,
  ...(row.client_type === 'proxied' ? readSite(row) : {}),
})

/** The version makes a new logo a new address, so that caches never show the old one. */
export const logoUrl = (clientId: string, version: string | null): string | null =>
  version === null ? null : `/oauth/clients/${clientId}/logo?v=${version}`

/** RFC 6749 section 1.5. The client that is built in renews for as long as its sign-in lasts, without `offline_access`. */
export const issuesRefreshToken = ({ client_id, grantTypes }: Client, scope: string): boolean =>
  grantTypes.includes('refresh_token') && (client_id === SSH_CLIENT_ID || hasScope(scope, 'offline_access'))

export const refuseUnknownClient = (): never => refuse(clientErrors.no_such_application())
