import { QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiFailure, hasCode, isStatus } from '../api/failure.ts'
import { hasUnsavedChanges } from '../lib/unsaved-changes.ts'
import { loginWithReturn } from '../paths.ts'
import { leaveForStepUp } from './leave-for-step-up.ts'
import { markShownByShell, sessionState, setSessionState } from './session-state.ts'

/**
 * A session that ended while the page was open: sign in, then come back to this very page. Where something was entered, that
 * happens in a dialog on the page, so that the input stays.
 */
export function noticeSession(error: unknown, isChange: boolean): void {
  if (hasCode(error, 'other_user')) setSessionState('other-user')
  // A role demands more since this page was opened.
  else if (hasCode(error, 'setup_needed')) void leaveForStepUp()
  // A wrong proof, or one that lacks something, is no news about the session.
  else if (!isStatus(error, 401) || hasCode(error, 'wrong_proof') || hasCode(error, 'second_step_needed')) return
  else if (isChange || hasUnsavedChanges() || sessionState() === 'ended') setSessionState('ended')
  else location.replace(loginWithReturn(location.pathname + location.search + location.hash))
  markShownByShell(error)
}

/** What the server has refused is not tried again. After a lost connection or an error of the server a query is retried twice. */
export const shouldRetry = (failures: number, error: unknown): boolean =>
  failures < 2 && !(error instanceof ApiFailure && error.status < 500)

/** The server can't be reached, or is briefly unavailable. Pages then come back by themselves when it is there again. */
export const isOutage = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof ApiFailure && error.status >= 500)

export const OUTAGE_PAUSE_MS = 4_000

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error) => noticeSession(error, false) }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: shouldRetry,
      refetchInterval: ({ state }) => (isOutage(state.error) ? OUTAGE_PAUSE_MS : false),
    },
  },
})
