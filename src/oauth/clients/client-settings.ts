import { Type } from 'typebox'
import { refuseField } from '../../errors.ts'
import { Nullable } from '../../http/contracts.ts'
import { VisibleName } from '../../http/visible-name.ts'
import { SCOPE_TOKEN } from '../scope.ts'
import { type Client, type ClientType, DEVICE_CODE, GRANT_TYPES, type GrantType } from './client.ts'
import { checkRedirectUri } from './redirect-uri.ts'

const Uris = Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), { maxItems: 20, uniqueItems: true })

const Operator = Nullable(
  VisibleName({ description: 'The person or organisation that runs the application, for the consent page.' }),
)

/** What can be set on a client, when it is created and later. */
export const ClientSettings = {
  name: VisibleName({ description: 'What the consent page calls the application.' }),
  operator: Operator,
  redirectUris: Uris,
  postLogoutRedirectUris: Uris,
  scopes: Type.Array(Type.String({ pattern: SCOPE_TOKEN, maxLength: 100 }), { maxItems: 100, uniqueItems: true }),
  grantTypes: Type.Array(Type.Enum(GRANT_TYPES), { minItems: 1, maxItems: GRANT_TYPES.length, uniqueItems: true }),
}

export interface Settings {
  name: string
  operator: string | null
  redirectUris: string[]
  postLogoutRedirectUris: string[]
  scopes: string[]
  grantTypes: GrantType[]
}

/** Public clients can't keep a secret, so they can't get tokens for themselves. */
export const defaultGrantTypes = (type: ClientType): GrantType[] =>
  type === 'public'
    ? ['authorization_code', 'refresh_token']
    : ['authorization_code', 'refresh_token', 'client_credentials']

/** Checks the settings of a client, also against one another. */
export function checkSettings(type: ClientType, settings: Settings): void {
  const { redirectUris, postLogoutRedirectUris, grantTypes } = settings
  redirectUris.forEach((uri, at) => checkRedirectUri(uri, `redirectUris/${at}`))
  postLogoutRedirectUris.forEach((uri, at) => checkRedirectUri(uri, `postLogoutRedirectUris/${at}`))
  const usesCodes = grantTypes.includes('authorization_code')
  if (usesCodes && redirectUris.length === 0)
    refuseField('redirectUris', 'A client that uses authorization codes needs a redirect URL.')
  if (grantTypes.includes('refresh_token') && !usesCodes && !grantTypes.includes(DEVICE_CODE))
    refuseField('grantTypes', 'Refresh tokens are issued with authorization codes or device codes only.')
  if (grantTypes.includes('client_credentials') && type === 'public')
    refuseField('grantTypes', 'A public client has no credentials of its own.')
}

export const settingsOf = (client: Client): Settings => ({
  name: client.name,
  operator: client.operator,
  redirectUris: client.redirect_uris,
  postLogoutRedirectUris: client.post_logout_redirect_uris,
  scopes: client.scopes,
  grantTypes: client.grantTypes,
})

export const settingColumns = (settings: Settings) => ({
  name: settings.name,
  operator: settings.operator,
  redirect_uris: JSON.stringify(settings.redirectUris),
  post_logout_redirect_uris: JSON.stringify(settings.postLogoutRedirectUris),
  scopes: JSON.stringify(settings.scopes),
  grant_types: JSON.stringify(settings.grantTypes),
})
