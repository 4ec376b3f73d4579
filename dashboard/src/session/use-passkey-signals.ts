import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { signalPasskeys, signalSignIn } from '../lib/passkey-signals.ts'
import { useMe } from './me.ts'

/** Tells the browser of the person's passkeys after each sign-in, and when the name or an address has changed. */
export function usePasskeySignals(): void {
  const { user, session } = useMe()
  const client = useQueryClient()
  useEffect(() => {
    if (wasTold(session.id)) return
    void signalSignIn().then(() => client.invalidateQueries({ queryKey: ['passkeys'] }))
  }, [session.id, client])

  const names = [user.email, user.preferredUsername, user.displayName].join('\n')
  const told = useRef(names)
  useEffect(() => {
    if (told.current === names) return
    told.current = names
    void signalPasskeys()
  }, [names])
}

const STORED = 'latchkey-passkey-signals'

/** Whether the browser was told after the sign-in of this session, by this tab. From now on it was. */
function wasTold(sessionId: string): boolean {
  try {
    if (sessionStorage.getItem(STORED) === sessionId) return true
    sessionStorage.setItem(STORED, sessionId)
  } catch {
    // The browser keeps nothing for this page.
  }
  return false
}
