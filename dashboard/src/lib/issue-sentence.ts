import type { Issue } from '../api/failure.ts'
import { sentenceOf } from '../texts/error-texts.ts'
import { findText } from '../texts/find-text.ts'
import type { Texts } from '../texts/load-texts.ts'
import { translateSentence } from '../texts/translate-sentence.ts'

/** What is said about a failure, as far as it is loaded. */
export type FailureTexts = Pick<Partial<Texts>, 'shared' | 'failures' | 'refusals' | 'errors'>

type Said = (texts: Texts['failures']['issues'], limit: string) => string

/** The messages of the server's schemas, which are fragments made for programs. */
const SCHEMA_MESSAGES: [RegExp, Said][] = [
  [/^is required$/, ({ required }) => required],
  [/^is not a known field$/, ({ unknown }) => unknown],
  [/^must NOT have more than (\d+) characters/, ({ tooLong }, limit) => tooLong(limit)],
  [/^must NOT have fewer than 1 (?:characters|items)/, ({ required }) => required],
  [/^must NOT have fewer than (\d+) characters/, ({ tooShort }, limit) => tooShort(limit)],
  [/^must NOT have more than (\d+) (?:items|properties)/, ({ tooMany }, limit) => tooMany(limit)],
  [/^must NOT have fewer than (\d+) (?:items|properties)/, ({ tooFew }, limit) => tooFew(limit)],
  [/^must NOT have duplicate items/, ({ twice }) => twice],
  [/^must be <=? ?(\S+)$/, ({ tooLarge }, limit) => tooLarge(limit)],
  [/^must be >=? ?(\S+)$/, ({ tooSmall }, limit) => tooSmall(limit)],
  [/^must match format "email"/, ({ email }) => email],
  [/^must match format "ur[il]/, ({ url }) => url],
  [/^must /, ({ invalid }) => invalid],
]

/** Whether the message comes from a schema, and is not a sentence for a person. */
export const isSchemaMessage = (message: string): boolean => SCHEMA_MESSAGES.some(([pattern]) => pattern.test(message))

export function issueSentence(
  issue: Issue,
  { shared, failures, refusals, errors }: FailureTexts,
  code?: string,
): string {
  const weak = shared && findText(shared.weakPassword, issue.reason ?? '')
  if (weak !== undefined) return weak
  if (!failures) return issue.message
  for (const [pattern, say] of SCHEMA_MESSAGES) {
    const found = pattern.exec(issue.message)
    if (found) return say(failures.issues, found[1] ?? '')
  }
  const fallback = code === 'invalid_input' ? failures.issues.invalid : findText(failures.errors, code ?? '')
  return sentenceOf(errors, issue) ?? translateSentence(refusals, issue.message) ?? fallback ?? issue.message
}
