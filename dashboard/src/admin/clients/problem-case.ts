import type { Client, SignInProblem } from '../../api/shapes.ts'
import { type ErrorSentences, sentenceOf } from '../../texts/error-texts.ts'
import { findText } from '../../texts/find-text.ts'

/** What went wrong, as far as this page can say more than the server's own sentence. */
export type ProblemCase = 'scope' | 'pkce' | 'redirectUri' | 'noAccess' | 'credentials' | 'other'

export function problemCase({ error, reason, details }: SignInProblem): ProblemCase {
  if (error === 'invalid_scope' && details.sent !== null) return 'scope'
  if (reason === 'pkce_needed') return 'pkce'
  if (reason === 'redirect_uri_not_registered') return 'redirectUri'
  if (reason === 'user_may_not_use_application') return 'noAccess'
  return error === 'invalid_client' ? 'credentials' : 'other'
}

/** What the dashboard has words for. The server's own sentences are translated where there is a translation. */
type Words = {
  applications: Record<Exclude<ProblemCase, 'other'>, string>
  sites: Record<string, string>
  errors: ErrorSentences
}

/** What went wrong, in the words of this page where it has some, and else in those of the server. */
export function problemTitle(problem: SignInProblem, { applications, sites, errors }: Words): string {
  const { endpoint, error, description, reason, values } = problem
  const found = problemCase(problem)
  const title = endpoint.startsWith('/api/authz/')
    ? findText(sites, error)
    : found === 'other'
      ? undefined
      : applications[found]
  return title ?? sentenceOf(errors, { message: description, reason, values }) ?? description
}

/** A change of the application that would let the refused request through. */
export type Fix =
  | { kind: 'scope'; scopes: string[] }
  | { kind: 'pkce' }
  | { kind: 'redirectUri'; uri: string }
  | { kind: 'role' }
  | { kind: 'rs256' }

/** The server cuts what was sent at this length, and puts a question mark for what is not printable. */
const MAX_TEXT = 200
const isWhole = (text: string) => text.length < MAX_TEXT && !text.includes('?')

/**
 * The change to offer. Anybody can send a request in the name of an application, so a redirect URL is offered only for an
 * origin that is registered already: another one could be that of an attacker.
 */
export function fixFor(problem: SignInProblem, application: Client): Fix | undefined {
  const sent = problem.details.sent ?? ''
  const found = problemCase(problem)
  // Where everybody may use it by now, letting one role in would shut the others out.
  if (found === 'noAccess') return application.allowedRoles === null ? undefined : { kind: 'role' }
  if (found === 'pkce')
    return application.clientType === 'confidential' && application.pkce === 'required' ? { kind: 'pkce' } : undefined
  if (!isWhole(sent)) return undefined
  if (found === 'scope') {
    const scopes = sent.split(' ').filter((scope) => scope !== '' && !application.scopes.includes(scope))
    return scopes.length === 0 ? undefined : { kind: 'scope', scopes }
  }
  if (found === 'redirectUri' && !application.redirect_uris.includes(sent) && hasRegisteredOrigin(sent, application))
    return { kind: 'redirectUri', uri: sent }
  return undefined
}

function hasRegisteredOrigin(uri: string, { redirect_uris: registered }: Client): boolean {
  const origin = webOrigin(uri)
  return origin !== undefined && registered.some((each) => webOrigin(each) === origin)
}

/** Addresses of other schemes have no origin that could be compared. */
const webOrigin = (uri: string): string | undefined =>
  /^https?:\/\/[^/]/.test(uri) && URL.canParse(uri) ? new URL(uri).origin : undefined
