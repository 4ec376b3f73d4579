import { ApiFailure } from '../api/failure.ts'
import { sentenceOf } from '../texts/error-texts.ts'
import { findText } from '../texts/find-text.ts'
import type { Texts } from '../texts/load-texts.ts'
import { fieldSentence, type FailureTexts } from './issue-sentence.ts'
import { PasskeyFailure } from './passkey-failure.ts'

/** The sentence that is shown for a failure, in the user's language. */
export function failureSentence(failure: unknown, texts: Texts['shared'], spoken: FailureTexts = {}): string {
  if (failure instanceof ApiFailure) return answeredSentence(failure, texts, spoken)
  if (failure instanceof PasskeyFailure) return texts.passkey[failure.reason]
  // A fetch that never got an answer rejects with a TypeError.
  if (failure instanceof TypeError) return texts.offline
  return failure instanceof Error && failure.message ? failure.message : texts.unexpected
}

/** The server's own sentence says more than its code, and is used where there is a translation of it. */
function answeredSentence(failure: ApiFailure, texts: Texts['shared'], { failures, errors }: FailureTexts): string {
  const weak = failure.issues.map(({ reason = '' }) => findText(texts.weakPassword, reason)).find(Boolean)
  if (weak !== undefined) return weak
  if (!failures) return failure.message
  if (failure.issues.some((issue) => fieldSentence(issue, { failures }) !== undefined))
    return failures.errors.invalid_input
  const byCode = findText(failures.errors, failure.code ?? codeOfStatus(failure.status))
  return sentenceOf(errors, failure) ?? byCode ?? failure.message
}

/** An error without a code is that of a disabled account, or comes from something in front of the service. */
function codeOfStatus(status: number): string {
  if (status === 403) return 'account_disabled'
  if (status === 502 || status === 503 || status === 504) return 'unavailable'
  return status >= 500 ? 'internal_error' : ''
}
