import type { AppError } from '../../errors.ts'
import { DiagnosedError } from '../problems/diagnosed-error.ts'

/** RFC 6749 section 3.3: scope tokens, separated by spaces. */
export const SCOPE_TOKEN = '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,100}$'

const TOKEN = new RegExp(SCOPE_TOKEN)

/** The scopes that this server interprets; all others are for resource servers. */
export const SUPPORTED_SCOPES = ['openid', 'profile', 'email', 'offline_access'] as const

/** What receivers of shared signals need: a client gets them for itself, and nobody grants them. */
export const SIGNAL_SCOPES = ['ssf.read', 'ssf.manage'] as const
export type SignalScope = (typeof SIGNAL_SCOPES)[number]

export const isSignalScope = (scope: string): scope is SignalScope => SIGNAL_SCOPES.some((each) => each === scope)

/** Those that stand in the server metadata as soon as a client has them. */
export const LISTED_WHEN_USED = ['groups', ...SIGNAL_SCOPES] as const

/** The scopes of a client that a person can grant to it. */
export const grantableScopes = (scopes: readonly string[]): string[] => scopes.filter((scope) => !isSignalScope(scope))

/** Each token once, in the order given; undefined when one of them is not a scope token. */
export function parseScope(scope: string | undefined): string[] | undefined {
  const tokens = (scope ?? '').split(' ').filter((token) => token !== '')
  return tokens.every((token) => TOKEN.test(token)) ? [...new Set(tokens)] : undefined
}

export const includesAll = (held: readonly string[], requested: readonly string[]): boolean =>
  requested.every((each) => held.includes(each))

export const hasScope = (scope: string, token: string): boolean => scope.split(' ').includes(token)

/** A scope that goes beyond what is allowed, with the scopes that are too many and those that are allowed. */
export const scopeError = (
  error: AppError,
  {
    requested,
    allowed,
    hint = ALLOW_SCOPES,
  }: { requested: string | undefined; allowed: readonly string[]; hint?: string },
): DiagnosedError =>
  new DiagnosedError(error, {
    hint,
    sent: scopesBeyond(requested, allowed),
    expected: allowed.join(' '),
  })

export const ALLOW_SCOPES = 'Allow these scopes here, or take them out of the settings of the application.'

/** The scopes of a request that are not among the allowed ones. */
export function scopesBeyond(requested: string | undefined, allowed: readonly string[]): string {
  const scopes = (requested ?? '').split(' ').filter((scope) => scope !== '')
  return scopes.length === 0 ? 'no scope' : scopes.filter((scope) => !allowed.includes(scope)).join(' ')
}
