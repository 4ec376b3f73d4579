import type { BatchResult, ImportResult } from '../../api/shapes.ts'
import { issueSentence } from '../../lib/issue-sentence.ts'
import { useFailureTexts } from '../../texts/TextsProvider.tsx'

/** Why one of many was refused, in the user's language. */
export function useResultSentence(): (result: Pick<BatchResult | ImportResult, 'error' | 'code'>) => string {
  const texts = useFailureTexts(true)
  return ({ error = '', code }) => issueSentence({ path: '', message: error }, texts, code)
}
