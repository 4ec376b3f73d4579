import { useCallback, useState } from 'react'
import { ApiFailure } from '../api/failure.ts'
import { loadFailureTexts } from '../texts/load-failure-texts.ts'

/** The failure that a page outside the signed-in part shows. What is said about it is loaded before it is set. */
export function useFailure(): [failure: unknown, fail: (failure: unknown) => Promise<void>] {
  const [failure, setFailure] = useState<unknown>()
  const fail = useCallback(async (reason: unknown) => {
    if (reason instanceof ApiFailure) await loadFailureTexts()
    setFailure(reason)
  }, [])
  return [failure, fail]
}
