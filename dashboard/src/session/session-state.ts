import { useSyncExternalStore } from 'react'

/** `ended`: nobody is signed in any more. `other-user`: the browser is signed in to another account than this page. */
export type SessionState = 'open' | 'ended' | 'other-user'

let state: SessionState = 'open'
const listeners = new Set<() => void>()

export function setSessionState(next: SessionState): void {
  // Another account stays another account until the page is loaded again.
  if (state === next || state === 'other-user') return
  state = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const sessionState = (): SessionState => state
export const useSessionState = (): SessionState => useSyncExternalStore(subscribe, sessionState)

const shown = new WeakSet()

/** For a failure that the page as a whole answers, such as an ended session: a form does not show it as well. */
export function markShownByShell(failure: unknown): void {
  if (typeof failure === 'object' && failure !== null) shown.add(failure)
}

export const isShownByShell = (failure: unknown): boolean =>
  typeof failure === 'object' && failure !== null && shown.has(failure)
