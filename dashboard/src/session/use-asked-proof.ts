import { useEffect, useState } from 'react'
import { type Asked, askForProofWith } from '../api/prove-again.ts'

type AskedProof = Asked & { onEnd: (isProven: boolean) => void }

/** What a request waits for: the page shows it, and says how it ended. */
export function useAskedProof(): AskedProof | undefined {
  const [asked, setAsked] = useState<AskedProof>()
  useEffect(
    () =>
      askForProofWith(
        (wanted) =>
          new Promise((resolve) => {
            const onEnd = (isProven: boolean) => {
              setAsked(undefined)
              resolve(isProven)
            }
            setAsked({ ...wanted, onEnd })
          }),
      ),
    [],
  )
  return asked
}
