import { CLAIMS_OF_SCOPE } from '../tokens/user-claims.ts'

/** Claims asked for by name (OpenID Connect Core 5.5), as far as they are about what we know. */
export interface ClaimsRequest {
  userinfo: string[]
  idToken: string[]
  /** The one user that the request is about. */
  subject: string | undefined
  /** Authentication that must not be weaker. */
  acr: string[] | undefined
}

export const NO_CLAIMS: ClaimsRequest = { userinfo: [], idToken: [], subject: undefined, acr: undefined }

const SCOPE_OF_CLAIM = new Map<string, string>(
  Object.entries(CLAIMS_OF_SCOPE).flatMap(([scope, names]) => names.map((name): [string, string] => [name, scope])),
)

/** Nothing when it is not a JSON object of JSON objects. What the client may not ask for by scope is left out. */
export function readClaims(text: string, allowedScopes: readonly string[]): ClaimsRequest | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(parsed)) return undefined
  const { userinfo = {}, id_token: idToken = {} } = parsed
  if (!isObject(userinfo) || !isObject(idToken)) return undefined
  const known = (asked: object) =>
    Object.keys(asked).filter((name) => allowedScopes.includes(SCOPE_OF_CLAIM.get(name) ?? ''))
  return {
    userinfo: known(userinfo),
    idToken: known(idToken),
    subject: valuesOf(idToken['sub'] ?? userinfo['sub'])?.[0],
    acr: isObject(idToken['acr']) && idToken['acr']['essential'] === true ? valuesOf(idToken['acr']) : undefined,
  }
}

/** What the user is asked to agree to: a claim asked for by name is a part of its scope. */
export const scopesOfClaims = ({ userinfo, idToken }: ClaimsRequest): string[] =>
  [...userinfo, ...idToken].map((name) => SCOPE_OF_CLAIM.get(name) ?? '')

function valuesOf(asked: unknown): string[] | undefined {
  if (!isObject(asked)) return undefined
  const { value, values } = asked
  const all = Array.isArray(values) ? (values as unknown[]) : value === undefined ? [] : [value]
  return all.length === 0 ? undefined : all.filter((each) => typeof each === 'string')
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** As it is stored with the code; nothing when nothing is asked for by name. */
export const packClaims = ({ userinfo, idToken }: ClaimsRequest): string | null =>
  userinfo.length + idToken.length === 0 ? null : `${userinfo.join(' ')},${idToken.join(' ')}`

export function unpackClaims(packed: string | null): { userinfo: string[]; idToken: string[] } {
  if (packed === null) return NO_CLAIMS
  const [userinfo = '', idToken = ''] = packed.split(',')
  return { userinfo: split(userinfo), idToken: split(idToken) }
}

const split = (names: string): string[] => (names === '' ? [] : names.split(' '))
