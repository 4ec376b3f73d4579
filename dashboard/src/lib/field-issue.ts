import { ApiFailure } from '../api/failure.ts'
import { currentTexts } from '../texts/current-texts.ts'
import { issueSentence } from './issue-sentence.ts'

/**
 * What to show at each of these fields of a form, in the user's language. What is left is the failure itself, unless all of it
 * is about one of the fields. `shownAt` names the field for a part of the request that has another name.
 */
export function placeIssues(
  failure: unknown,
  fields: readonly string[],
  shownAt: Readonly<Record<string, string>> = {},
): { errors: Record<string, string>; unplaced: unknown } {
  const errors: Record<string, string> = {}
  const issues = failure instanceof ApiFailure ? failure.issues : []
  let placed = 0
  for (const issue of issues) {
    const path = issue.path.replaceAll('/', '.')
    const field = fieldFor(shownAt[path.split('.')[0] ?? ''] ?? path, fields)
    if (field === undefined) continue
    placed += 1
    errors[field] ??= issueSentence(issue, currentTexts(), failure instanceof ApiFailure ? failure.code : undefined)
  }
  return { errors, unplaced: placed > 0 && placed === issues.length ? undefined : failure }
}

/** The field for a path of the request, such as `rules.0.path`: of exactly that, of what it is part of, or of its first part. */
function fieldFor(path: string, fields: readonly string[]): string | undefined {
  for (let part = path; part !== ''; part = part.slice(0, Math.max(0, part.lastIndexOf('.')))) {
    const found = fields.find((field) => field === part) ?? fields.find((field) => field.startsWith(`${part}.`))
    if (found !== undefined) return found
  }
  return undefined
}
