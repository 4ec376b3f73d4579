import type { SHOWN_ERRORS } from '../../../src/error-reasons.ts'
import type { IssueReason } from '../../../src/platform/http/validation-issues.ts'
import { fillSentence, type Values } from '../../../src/vocabulary/fill-sentence.ts'

/** The sentences of one of the server's tables of errors in another language, with the same values. */
export type ErrorTexts<Table> = Readonly<Record<keyof Table, string>>

/** What is wrong with one field, in a sentence that stands beside it, with the same values as the server's. */
export type IssueTexts = Readonly<Record<IssueReason, string>>

/** What a language says about the server's errors. English says what the server says. */
export interface ErrorLanguage {
  sentences: ErrorTexts<typeof SHOWN_ERRORS>
  sayDuration: (seconds: number) => string
}
export type ErrorSentences = ErrorLanguage | 'as the server'

/** Undefined for a reason that this dashboard does not know, and without a reason. */
export function sentenceOf(
  language: ErrorSentences | undefined,
  { message, reason, values = {} }: { message: string; reason?: string | undefined; values?: Values | undefined },
): string | undefined {
  if (language === undefined || reason === undefined) return undefined
  if (language === 'as the server') return message
  const sentence = (language.sentences as Readonly<Record<string, string | undefined>>)[reason]
  return sentence === undefined ? undefined : fillSentence(sentence, values, language.sayDuration)
}
