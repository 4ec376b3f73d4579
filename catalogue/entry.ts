/** The groups of applications, in the order in which they are shown. */
export const FAMILIES = [
  'Generic',
  'Code',
  'Monitoring',
  'Files and photos',
  'Media',
  'Home',
  'Office',
  'Mail',
  'Infrastructure',
  'APIs',
  'Libraries',
] as const
export type Family = (typeof FAMILIES)[number]

export type GrantType = 'authorization_code' | 'refresh_token' | 'client_credentials'

/** The body of `POST /oauth/clients`. */
export interface ClientRequest {
  name: string
  clientType: 'confidential' | 'public'
  redirectUris: string[]
  postLogoutRedirectUris?: string[]
  scopes: string[]
  grantTypes: GrantType[]
  launchUrl?: string
  idTokenClaims?: 'minimal' | 'full'
  introspectionClaims?: boolean
  id_token_signed_response_alg?: 'ES256' | 'RS256'
  pkce?: 'required' | 'optional'
  backchannelLogoutUri?: string
  backchannelLogoutSessionRequired?: boolean
  sessionExpiry?: boolean
  refreshTokens?: 'offline' | 'session'
}

/** Something that the person is asked for, because the settings depend on it. */
export interface Question {
  name: string
  /** `address` is the URL of the application, `scheme` that of a native application's URLs, `group` the name of a role. */
  kind: 'address' | 'scheme' | 'word' | 'group'
  label: string
  example: string
}

/** Settings to paste at the other side. */
export interface Snippet {
  /** Where they go. */
  title: string
  /** Also the language of the code block in the documents. `form` is what to enter into which field. */
  format:
    | 'apache'
    | 'env'
    | 'form'
    | 'haproxy'
    | 'ini'
    | 'javascript'
    | 'json'
    | 'lua'
    | 'php'
    | 'python'
    | 'ruby'
    | 'sh'
    | 'toml'
    | 'yaml'
  text: string
}

/**
 * An application that people connect. Texts in which placeholders are replaced (`{{issuer}}`, `{{client_id}}`, `{{client_secret}}`,
 * and the names of questions; `{{host}}` is the host of the address, `{{issuer_with_credentials}}` the issuer with the client's id
 * and secret before its host): URLs and scopes of the client, titles and texts of snippets.
 */
export interface Entry {
  id: string
  name: string
  family: Family
  questions: Question[]
  client: Omit<ClientRequest, 'name'>
  /** For each setting of the client that differs from the default: why. */
  why: Partial<Record<keyof Omit<ClientRequest, 'name'>, string>>
  snippets: Snippet[]
  notes: string[]
  /** Why some versions, or all, can't be connected. */
  limits?: string
  /** What the source does not say, so that it is a guess. */
  unconfirmed?: string
  /** The project's own documentation or source. */
  source: string
  lookedUpOn: string
  /** The test that runs it, or why there is none and how its settings are known instead. */
  tried: { test: string } | { not: string; settings: 'tried by hand' | 'from its source' | 'from its documentation' }
}

export const ADDRESS: Question = {
  name: 'address',
  kind: 'address',
  label: 'Address of the application',
  example: 'https://app.example.com',
}

export const addressOf = (name: string, example: string): Question => ({
  ...ADDRESS,
  label: `Address of ${name}`,
  example,
})

export const CODE: GrantType[] = ['authorization_code']
export const CODE_AND_REFRESH: GrantType[] = ['authorization_code', 'refresh_token']

/** A client that only introspects the tokens that others bring. */
export const RESOURCE_SERVER = {
  client: { clientType: 'confidential', redirectUris: [], scopes: [], grantTypes: ['client_credentials'] },
  why: {
    grantTypes:
      'It signs nobody in. Its credentials are for introspection only, but a client has at least one grant type; without scopes, tokens of its own open nothing.',
  },
} satisfies Pick<Entry, 'client' | 'why'>

export const NOT_IN_A_REGISTRY: Entry['tried'] = {
  not: 'It is not published as a package that a test could install.',
  settings: 'from its documentation',
}
export const TRIED_BY_HAND: Entry['tried'] = { not: 'The tests do not install it.', settings: 'tried by hand' }
export const A_HOSTED_SERVICE: Entry['tried'] = {
  not: 'It is a service on the internet, which the tests do not call.',
  settings: 'from its documentation',
}
