import { Type } from 'typebox'
import { atField } from '../../errors.ts'
import type { Config } from '../../platform/config/config.ts'
import { Nullable } from '../../platform/http/contracts.ts'
import { VisibleName } from '../../platform/http/visible-name.ts'
import { ACRS } from '../../vocabulary/sign-in-methods.ts'
import { ClaimMappings, checkMappings } from '../claims/claim-mapping.ts'
import { SCOPE_TOKEN } from '../protocol/scope.ts'
import { SITE_FIELDS, Seconds, type SiteSettings, siteColumns } from '../sites/site-settings.ts'
import { clientErrors } from './client-errors.ts'
import {
  CONSENT,
  type Client,
  type ClientType,
  ID_TOKEN_ALGORITHMS,
  ID_TOKEN_CLAIMS,
  PKCE,
  REFRESH_TOKENS,
  SIGNAL_SUBJECT_FORMATS,
  SIGNAL_SUBJECTS,
} from './client.ts'
import { GRANT_TYPES, isDefaultGrant, needsSecret, SIGN_IN_GRANTS } from './grant-types.ts'
import { checkLaunchUrl, checkRedirectUri } from './redirect-uri.ts'

const Uris = Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), { maxItems: 20, uniqueItems: true })

const Operator = Nullable(
  VisibleName({ description: 'The person or organisation that runs the application, for the consent page.' }),
)

const AllowedRoles = Nullable(
  Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    maxItems: 200,
    uniqueItems: true,
    description: 'Ids of the roles whose holders may use it. Null admits everybody, an empty list nobody.',
  }),
)

/** What can be set on a client, when it is created and later. */
export const ClientSettings = {
  name: VisibleName({ description: 'What the consent page calls the application.' }),
  operator: Operator,
  redirectUris: Uris,
  postLogoutRedirectUris: Uris,
  scopes: Type.Array(Type.String({ pattern: SCOPE_TOKEN, maxLength: 100 }), { maxItems: 100, uniqueItems: true }),
  grantTypes: Type.Array(Type.Enum(GRANT_TYPES), { minItems: 1, maxItems: GRANT_TYPES.length, uniqueItems: true }),
  allowedRoles: AllowedRoles,
  idTokenClaims: Type.Enum(ID_TOKEN_CLAIMS, {
    description: 'With `full`, the ID token also has the claims of the granted scopes.',
  }),
  id_token_signed_response_alg: Type.Enum(ID_TOKEN_ALGORITHMS, { description: 'What signs its ID tokens.' }),
  claims: ClaimMappings,
  introspectionClaims: Type.Boolean({
    description:
      'The answers that this client gets at introspection have the claims of the scopes of the token, such as `email`.',
  }),
  pkce: Type.Enum(PKCE, { description: '`optional` needs `ALLOW_MISSING_PKCE`, and is for confidential clients.' }),
  consent: Type.Enum(CONSENT, { description: '`skip` grants what it asks for without asking the user.' }),
  backchannelLogoutUri: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'Where it takes logout tokens (OpenID Connect Back-Channel Logout 1.0), without a fragment.',
    }),
  ),
  backchannelLogoutSessionRequired: Type.Boolean({
    description: 'Each of its logout tokens names a session: where all that a person has ends, it gets one for each.',
  }),
  sessionExpiry: Type.Boolean({
    description: 'Its ID tokens say in `session_expiry` when the session ends at the latest.',
  }),
  refreshTokens: Type.Enum(REFRESH_TOKENS, {
    description:
      'With `session` they end with the session in which they were issued, and using one counts as use of it.',
  }),
  signalSubjects: Type.Enum(SIGNAL_SUBJECTS, {
    description:
      'About whom its stream of shared signals tells: people who have granted it something, or everybody. `all` needs `webhooks:manage` and `users:read`.',
  }),
  signalSubjectFormat: Type.Enum(SIGNAL_SUBJECT_FORMATS, {
    description: 'How shared signals name people. An address that is not confirmed is never named.',
  }),
  requiredAcr: Nullable(
    Type.Enum(ACRS, {
      description:
        'How strong a sign-in has to be at least: `phr` with a passkey, `2` with a second step. Who has signed in with less is asked for it in place.',
    }),
  ),
  maxAuthAge: Seconds(60, 2_592_000, 'How long ago the person may have proved who they are, when they sign in to it.'),
  accessTokenLifetime: Seconds(60, 3600, 'How long its access tokens live. Null: an hour.'),
  refreshTokenLifetime: Seconds(300, 2_592_000, 'How long a refresh token lives that is not used. Null: 30 days.'),
  refreshMaxAge: Seconds(
    300,
    7_776_000,
    'How long after the sign-in the last token ends, however often it is refreshed. Null: 90 days.',
  ),
  launchUrl: Nullable(Type.String({ minLength: 1, maxLength: 2048, description: 'Where people open it.' })),
}

/** The same as values, with those of a site: `defaultSettings` has one for each. */
export type Settings = SiteSettings & {
  [name in keyof typeof ClientSettings]: Type.Static<(typeof ClientSettings)[name]>
}

export const defaultSettings = (type: ClientType): Omit<Settings, 'name'> => ({
  operator: null,
  redirectUris: [],
  postLogoutRedirectUris: [],
  scopes: [],
  grantTypes: defaultGrantTypes(type),
  allowedRoles: null,
  idTokenClaims: 'minimal',
  id_token_signed_response_alg: 'ES256',
  claims: [],
  introspectionClaims: false,
  pkce: 'required',
  consent: 'ask',
  backchannelLogoutUri: null,
  backchannelLogoutSessionRequired: false,
  sessionExpiry: false,
  refreshTokens: 'offline',
  signalSubjects: 'own',
  signalSubjectFormat: 'iss_sub',
  requiredAcr: null,
  maxAuthAge: null,
  accessTokenLifetime: null,
  refreshTokenLifetime: null,
  refreshMaxAge: null,
  launchUrl: null,
  hosts: [],
  rules: [],
  headers: {},
  basic: false,
  sessionMaxAge: null,
})

/** Public clients can't keep a secret, so they can't get tokens for themselves. A site gets no tokens at all. */
const defaultGrantTypes = (type: ClientType): Settings['grantTypes'] =>
  type === 'proxied'
    ? []
    : GRANT_TYPES.filter((each) => isDefaultGrant(each) && (type !== 'public' || !needsSecret(each)))

/**
 * Checks the settings of a client, also against one another. What the service's own configuration allows is checked for
 * the settings that a request names only: the others may have been allowed when they were set.
 */
export function checkSettings(
  config: SettingRules,
  type: ClientType,
  settings: Settings,
  given: Partial<Settings>,
): void {
  if (typeof given.launchUrl === 'string') checkLaunchUrl(config, given.launchUrl)
  if (type === 'proxied') {
    if (settings.hosts.length === 0) throw atField('hosts', clientErrors.site_needs_host())
    return
  }
  given.redirectUris?.forEach((uri, at) => checkRedirectUri(config, uri, `redirectUris/${at}`))
  given.postLogoutRedirectUris?.forEach((uri, at) => checkRedirectUri(config, uri, `postLogoutRedirectUris/${at}`))
  if (given.claims) checkMappings(given.claims)
  checkGrantTypes(type, settings)
  checkPkce(config, type, given)
  if (settings.consent === 'skip' && type === 'public' && !settings.redirectUris.every(isHttps))
    throw atField('consent', clientErrors.skipped_consent_needs_https())
}

/** What a site has in common with other clients. */
const COMMON_FIELDS = new Set<string>([
  'name',
  'allowedRoles',
  'requiredAcr',
  'maxAuthAge',
  'launchUrl',
  ...SITE_FIELDS,
])
const OAUTH_FIELDS = (Object.keys(ClientSettings) as (keyof Settings)[]).filter((name) => !COMMON_FIELDS.has(name))

/** Refuses settings that a client of this type does not have. */
export function refuseForeignSettings(type: ClientType, given: Partial<Settings>): void {
  const foreign = (type === 'proxied' ? OAUTH_FIELDS : SITE_FIELDS).find((name) => given[name] !== undefined)
  if (foreign === undefined) return
  throw atField(foreign, type === 'proxied' ? clientErrors.not_of_a_site() : clientErrors.only_of_a_site())
}

export type SettingRules = Pick<Config, 'httpRedirectHosts' | 'redirectSchemes' | 'allowMissingPkce'>

function checkGrantTypes(type: ClientType, { redirectUris, grantTypes }: Settings): void {
  if (grantTypes.includes('authorization_code') && redirectUris.length === 0)
    throw atField('redirectUris', clientErrors.redirect_uri_needed())
  if (grantTypes.includes('refresh_token') && !grantTypes.some((type) => SIGN_IN_GRANTS.includes(type)))
    throw atField('grantTypes', clientErrors.refresh_tokens_need_codes())
  if (type === 'public' && grantTypes.some(needsSecret))
    throw atField('grantTypes', clientErrors.credentials_of_public_client())
}

function checkPkce({ allowMissingPkce }: SettingRules, type: ClientType, given: Partial<Settings>): void {
  if (given.pkce !== 'optional') return
  if (type === 'public') throw atField('pkce', clientErrors.pkce_of_public_client())
  if (!allowMissingPkce) throw clientErrors.pkce_optional_not_allowed()
}

/** What the RSA key is needed for, where a client is changed in this way. */
export const rsaUseOf = ({ id_token_signed_response_alg: alg }: Partial<Settings>): 'id_tokens' | undefined =>
  alg === 'RS256' ? 'id_tokens' : undefined

const isHttps = (uri: string): boolean => uri.startsWith('https://')

export const settingsOf = (client: Client): Settings => ({
  name: client.name,
  operator: client.operator,
  redirectUris: client.redirect_uris,
  postLogoutRedirectUris: client.post_logout_redirect_uris,
  scopes: client.scopes,
  grantTypes: client.grantTypes,
  allowedRoles: client.allowedRoles,
  idTokenClaims: client.idTokenClaims,
  id_token_signed_response_alg: client.id_token_signed_response_alg,
  claims: client.claims,
  introspectionClaims: client.introspectionClaims,
  pkce: client.pkce,
  consent: client.consent,
  backchannelLogoutUri: client.backchannelLogoutUri,
  backchannelLogoutSessionRequired: client.backchannelLogoutSessionRequired,
  sessionExpiry: client.sessionExpiry,
  refreshTokens: client.refreshTokens,
  signalSubjects: client.signalSubjects,
  signalSubjectFormat: client.signalSubjectFormat,
  requiredAcr: client.requiredAcr,
  maxAuthAge: client.maxAuthAge,
  accessTokenLifetime: client.accessTokenLifetime,
  refreshTokenLifetime: client.refreshTokenLifetime,
  refreshMaxAge: client.refreshMaxAge,
  launchUrl: client.launchUrl,
  hosts: client.hosts ?? [],
  rules: client.rules ?? [],
  headers: client.headers ?? {},
  basic: client.basic ?? false,
  sessionMaxAge: client.sessionMaxAge ?? null,
})

/** The columns of `oauth_clients`. The roles themselves are rows of another table. */
export const settingColumns = (type: ClientType, settings: Settings) => ({
  name: settings.name,
  operator: settings.operator,
  redirect_uris: JSON.stringify(settings.redirectUris),
  post_logout_redirect_uris: JSON.stringify(settings.postLogoutRedirectUris),
  scopes: JSON.stringify(settings.scopes),
  grant_types: JSON.stringify(settings.grantTypes),
  restricted: settings.allowedRoles === null ? 0 : 1,
  id_token_claims: settings.idTokenClaims,
  id_token_alg: settings.id_token_signed_response_alg,
  claims: JSON.stringify(settings.claims),
  introspection_claims: settings.introspectionClaims ? 1 : 0,
  reads_roles: settings.claims.some((claim) => !('value' in claim)) || settings.scopes.includes('groups') ? 1 : 0,
  pkce: settings.pkce,
  consent: settings.consent,
  backchannel_logout_uri: settings.backchannelLogoutUri,
  backchannel_logout_session_required: settings.backchannelLogoutSessionRequired ? 1 : 0,
  session_expiry: settings.sessionExpiry ? 1 : 0,
  refresh_tokens: settings.refreshTokens,
  signal_subjects: settings.signalSubjects,
  signal_subject_format: settings.signalSubjectFormat,
  required_acr: settings.requiredAcr,
  max_auth_age: settings.maxAuthAge,
  access_token_lifetime: settings.accessTokenLifetime,
  refresh_token_lifetime: settings.refreshTokenLifetime,
  refresh_max_age: settings.refreshMaxAge,
  launch_url: settings.launchUrl,
  ...(type === 'proxied' ? siteColumns(settings) : {}),
})
