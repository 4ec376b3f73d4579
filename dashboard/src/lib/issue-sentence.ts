import { fillSentence } from '../../../src/vocabulary/fill-sentence.ts'
import type { Issue } from '../api/failure.ts'
import { sentenceOf } from '../texts/error-texts.ts'
import { findText } from '../texts/find-text.ts'
import type { Texts } from '../texts/load-texts.ts'

/** What is said about a failure, as far as it is loaded. */
export type FailureTexts = Pick<Partial<Texts>, 'shared' | 'failures' | 'errors'>

/** What is said about a field that does not match its schema, or about a weak password. The server's own words are for programs. */
export function fieldSentence(
  { reason = '', values = {} }: Issue,
  { shared, failures }: FailureTexts,
): string | undefined {
  const said = failures && findText(failures.issues, reason)
  return (shared && findText(shared.weakPassword, reason)) ?? (said && fillSentence(said, values, String))
}

export function issueSentence(issue: Issue, texts: FailureTexts, code?: string): string {
  const { failures, errors } = texts
  const known = fieldSentence(issue, texts)
  if (known !== undefined || !failures) return known ?? issue.message
  const fallback = code === 'invalid_input' ? failures.issues.not_valid : findText(failures.errors, code ?? '')
  return sentenceOf(errors, issue) ?? fallback ?? issue.message
}
