import { ApiFailure } from '../api/failure.ts'

const issuesOf = (failure: unknown) => (failure instanceof ApiFailure ? failure.issues : [])
const isAbout = (path: string, field: string) => path === field || path.startsWith(`${field}/`)

/** What the server said about one field of a form, to show it beside that field. */
export const issueAt = (failure: unknown, field: string): string | undefined =>
  issuesOf(failure).find(({ path }) => isAbout(path, field))?.message

/** The failure, unless all of it is shown beside these fields. */
export function beyondFields(failure: unknown, fields: readonly string[]): unknown {
  const issues = issuesOf(failure)
  const isShown = issues.length > 0 && issues.every(({ path }) => fields.some((field) => isAbout(path, field)))
  return isShown ? undefined : failure
}
