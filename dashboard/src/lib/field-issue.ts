import { ApiFailure, type Issue } from '../api/failure.ts'
import { currentTexts } from '../texts/current-texts.ts'
import { issueSentence } from './issue-sentence.ts'

/** Refusals whose code alone says which field they are about. */
const FIELD_OF_CODE: Partial<Record<string, string>> = {
  wrong_password: 'currentPassword',
  email_domain: 'email',
  wrong_secret: 'secret',
}

function issuesOf(failure: unknown): Issue[] {
  if (!(failure instanceof ApiFailure)) return []
  const field = FIELD_OF_CODE[failure.code ?? '']
  return failure.issues.length === 0 && field ? [{ path: field, message: failure.message }] : failure.issues
}

const isAbout = (path: string, field: string) => path === field || path.startsWith(`${field}/`)

/** What the server said about one field of a form, to show it beside that field, in the user's language. */
export function issueAt(failure: unknown, field: string): string | undefined {
  const issue = issuesOf(failure).find(({ path }) => isAbout(path, field))
  return issue && issueSentence(issue, currentTexts(), failure instanceof ApiFailure ? failure.code : undefined)
}

/** The failure, unless all of it is shown beside these fields. */
export function beyondFields(failure: unknown, fields: readonly string[]): unknown {
  const issues = issuesOf(failure)
  const isShown = issues.length > 0 && issues.every(({ path }) => fields.some((field) => isAbout(path, field)))
  return isShown ? undefined : failure
}
