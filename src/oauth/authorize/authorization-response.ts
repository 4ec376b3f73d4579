import { withQuery } from '../clients/redirect-uri.ts'

/** OAuth 2.0 Multiple Response Types section 2.1, OAuth 2.0 Form Post Response Mode. */
export const RESPONSE_MODES = ['query', 'fragment', 'form_post'] as const
export type ResponseMode = (typeof RESPONSE_MODES)[number]

/** Where the answer to an authorization request goes, and how. */
export interface ResponseTarget {
  issuer: string
  redirectUri: string
  state: string | undefined
  responseMode: ResponseMode
}

/** What the browser does next: it follows a redirect, or sends a form. */
export type NextStep = { redirectTo: string } | FormPost

export interface FormPost {
  postTo: string
  fields: Record<string, string>
}

/** Answers an authorization request, with a code or with an error (RFC 6749 section 4.1.2, RFC 9207). */
export function respond(
  { issuer, redirectUri, state, responseMode }: ResponseTarget,
  answer: Record<string, string>,
): NextStep {
  const fields = { ...answer, ...(state === undefined ? {} : { state }), iss: issuer }
  if (responseMode === 'form_post') return { postTo: redirectUri, fields }
  // A registered redirect URL has no fragment of its own.
  if (responseMode === 'fragment') return { redirectTo: `${redirectUri}#${new URLSearchParams(fields).toString()}` }
  return { redirectTo: withQuery(redirectUri, fields) }
}
