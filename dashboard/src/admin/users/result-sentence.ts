import type { BatchResult, ImportResult } from '../../api/shapes.ts'
import { issueSentence } from '../../lib/issue-sentence.ts'
import { currentTexts } from '../../texts/current-texts.ts'

/** Why one of many was refused, in the user's language. */
export const resultSentence = ({
  error = '',
  code,
  ...about
}: Omit<BatchResult | ImportResult, 'id' | 'email'>): string =>
  issueSentence({ path: '', message: error, ...about }, currentTexts(), code)
