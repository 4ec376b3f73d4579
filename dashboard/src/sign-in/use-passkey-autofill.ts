import { browserSupportsWebAuthnAutofill, WebAuthnAbortService } from '@simplewebauthn/browser'
import { useEffect, useRef, useState } from 'react'
import { ApiFailure } from '../api/failure.ts'
import { signInWithPasskey } from '../lib/passkey-ceremonies.ts'

// A challenge lives five minutes on the server. An offer that stays open longer is renewed before it goes stale.
const RENEW_AFTER = 4 * 60_000

/** Offers passkeys inside the email field (conditional mediation) for as long as the page is open. */
export function usePasskeyAutofill(onSignedIn: () => void): { failure: unknown; restart: () => void } {
  const [round, setRound] = useState(0)
  const [failure, setFailure] = useState<unknown>()
  const signedIn = useRef(onSignedIn)

  useEffect(() => {
    let over = false
    async function offer() {
      if (!(await browserSupportsWebAuthnAutofill()) || over) return
      try {
        await signInWithPasskey({ autofill: true })
        if (!over) signedIn.current()
      } catch (error) {
        // Aborted or ignored offers are no failure that a person made; a refusal by the server is.
        if (over || !(error instanceof ApiFailure)) return
        setFailure(error)
        if (error.status < 429) setRound((number) => number + 1)
      }
    }
    void offer()
    const renewal = setTimeout(() => setRound((number) => number + 1), RENEW_AFTER)
    return () => {
      over = true
      clearTimeout(renewal)
      WebAuthnAbortService.cancelCeremony()
    }
  }, [round])

  return { failure, restart: () => setRound((number) => number + 1) }
}
