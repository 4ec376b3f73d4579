import { ApiFailure } from '../api/failure.ts'
import type { Texts } from '../texts/load-texts.ts'
import { PasskeyFailure } from './passkey-failure.ts'

/** The sentence that is shown for a failure: the server's, if there is one, otherwise ours. */
export function failureSentence(failure: unknown, texts: Texts['shared']): string {
  if (failure instanceof ApiFailure) {
    const reason = failure.issues.find((issue) => issue.reason !== undefined)?.reason
    return (reason && texts.weakPassword[reason]) ?? failure.message
  }
  if (failure instanceof PasskeyFailure) return texts.passkey[failure.reason]
  // A fetch that never got an answer rejects with a TypeError.
  if (failure instanceof TypeError) return texts.offline
  return failure instanceof Error && failure.message ? failure.message : texts.unexpected
}
