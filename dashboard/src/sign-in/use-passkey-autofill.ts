import { browserSupportsWebAuthnAutofill, WebAuthnAbortService } from '@simplewebauthn/browser'
import { useEffect, useRef, useState } from 'react'
import { ApiFailure } from '../api/failure.ts'
import { signInWithPasskey, type SignedIn } from '../lib/sign-in-with-passkey.ts'
import { useFailure } from '../lib/use-submit.ts'

// A challenge is valid for five minutes. An offer that stays open longer is renewed before that.
const RENEW_AFTER_MS = 4 * 60_000

/** Offers passkeys inside the email field (conditional mediation) for as long as the page is open. */
export function usePasskeyAutofill(onSignedIn: (user: SignedIn) => Promise<void>): {
  failure: unknown
  restart: () => void
} {
  const [round, setRound] = useState(0)
  const [failure, fail] = useFailure()
  const signedIn = useRef(onSignedIn)

  useEffect(() => {
    let isOver = false
    async function offer() {
      if (!(await browserSupportsWebAuthnAutofill()) || isOver) return
      let isChosen = false
      try {
        const user = await signInWithPasskey({ autofill: true, onChosen: () => (isChosen = true) })
        if (!isOver) await signedIn.current(user)
      } catch (error) {
        // An aborted or ignored offer is not shown as a failure; an error of the server is.
        if (isOver || !(error instanceof ApiFailure)) return
        await fail(error)
        // Without a passkey that was chosen, the next round would be refused at once in the same way, without end.
        if (isChosen && error.status < 429) setRound((number) => number + 1)
      }
    }
    void offer()
    const renewal = setTimeout(() => setRound((number) => number + 1), RENEW_AFTER_MS)
    return () => {
      isOver = true
      clearTimeout(renewal)
      WebAuthnAbortService.cancelCeremony()
    }
  }, [round, fail])

  return { failure, restart: () => setRound((number) => number + 1) }
}
