import type { Client } from '../../api/shapes.ts'

/** The headers that name a visitor, unless a site renames them. */
export const DEFAULT_HEADERS = {
  user: 'Remote-User',
  email: 'Remote-Email',
  name: 'Remote-Name',
  groups: 'Remote-Groups',
  jwt: 'Remote-Jwt',
} as const
export type HeaderField = keyof typeof DEFAULT_HEADERS
export const HEADER_FIELDS = Object.keys(DEFAULT_HEADERS) as HeaderField[]

type Headers = NonNullable<Client['headers']>

/** What a form shows: every name, and nothing for a header that is left out. */
export const headersDraft = (headers: Headers): Record<HeaderField, string> => {
  const draft: Record<HeaderField, string> = { ...DEFAULT_HEADERS }
  for (const field of HEADER_FIELDS)
    draft[field] = headers[field] === undefined ? DEFAULT_HEADERS[field] : (headers[field] ?? '')
  return draft
}

/** What is sent: only what differs from the default. */
export const headersOf = (draft: Record<HeaderField, string>): Headers => {
  const headers: Headers = {}
  for (const field of HEADER_FIELDS) {
    const name = draft[field].trim()
    if (name !== DEFAULT_HEADERS[field]) headers[field] = name === '' ? null : name
  }
  return headers
}

/** The names in use. */
export const headerNames = (headers: Headers): string[] =>
  Object.values(headersDraft(headers)).filter((name) => name !== '')
