import { isJsonObject } from '../../platform/http/request-body.ts'
import { CLAIMS_OF_SCOPE } from './user-claims.ts'

/** Claims requested by name (OpenID Connect Core 5.5), without unknown ones. */
export interface ClaimsRequest {
  userinfo: string[]
  idToken: string[]
  /** The one user that the request is about. */
  subject: string | undefined
  /** The accepted values of acr, if one of them is essential. */
  acr: string[] | undefined
}

export const NO_CLAIMS: ClaimsRequest = { userinfo: [], idToken: [], subject: undefined, acr: undefined }

const SCOPE_OF_CLAIM = new Map<string, string>(
  Object.entries(CLAIMS_OF_SCOPE).flatMap(([scope, names]) => names.map((name): [string, string] => [name, scope])),
)

/** Undefined when it is not a JSON object of JSON objects. Claims of scopes that the client is not allowed are left out. */
export function readClaims(text: string, allowedScopes: readonly string[]): ClaimsRequest | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isJsonObject(parsed)) return undefined
  const { userinfo = {}, id_token: idToken = {} } = parsed
  if (!isJsonObject(userinfo) || !isJsonObject(idToken)) return undefined
  const known = (claims: object) =>
    Object.keys(claims).filter((name) => allowedScopes.includes(SCOPE_OF_CLAIM.get(name) ?? ''))
  return {
    userinfo: known(userinfo),
    idToken: known(idToken),
    subject: valuesOf(idToken['sub'] ?? userinfo['sub'])?.[0],
    acr: isJsonObject(idToken['acr']) && idToken['acr']['essential'] === true ? valuesOf(idToken['acr']) : undefined,
  }
}

/** The scopes to consent to for these claims: a claim requested by name is a part of its scope. */
export const scopesOfClaims = ({ userinfo, idToken }: ClaimsRequest): string[] =>
  [...userinfo, ...idToken].map((name) => SCOPE_OF_CLAIM.get(name) ?? '')

function valuesOf(claim: unknown): string[] | undefined {
  if (!isJsonObject(claim)) return undefined
  const { value, values } = claim
  const all: unknown[] = Array.isArray(values) ? values : value === undefined ? [] : [value]
  return all.length === 0 ? undefined : all.filter((each) => typeof each === 'string')
}

/** The form that is stored with the code; null when no claim is requested by name. */
export const packClaims = ({ userinfo, idToken }: ClaimsRequest): string | null =>
  userinfo.length + idToken.length === 0 ? null : `${userinfo.join(' ')},${idToken.join(' ')}`

export function unpackClaims(packed: string | null): { userinfo: string[]; idToken: string[] } {
  if (packed === null) return NO_CLAIMS
  const [userinfo = '', idToken = ''] = packed.split(',')
  return { userinfo: split(userinfo), idToken: split(idToken) }
}

const split = (names: string): string[] => (names === '' ? [] : names.split(' '))
