/** RFC 6749 section 3.3: scope tokens, separated by spaces. */
export const SCOPE_TOKEN = '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,100}$'

const TOKEN = new RegExp(SCOPE_TOKEN)

/** The scopes that this server interprets; all others are for resource servers. */
export const SUPPORTED_SCOPES = ['openid', 'profile', 'email', 'offline_access'] as const

/** Each token once, in the order given; undefined when one of them is not a scope token. */
export function parseScope(scope: string | undefined): string[] | undefined {
  const tokens = (scope ?? '').split(' ').filter((token) => token !== '')
  return tokens.every((token) => TOKEN.test(token)) ? [...new Set(tokens)] : undefined
}

export const includesAll = (held: readonly string[], requested: readonly string[]): boolean =>
  requested.every((each) => held.includes(each))

export const hasScope = (scope: string, token: string): boolean => scope.split(' ').includes(token)
