import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiFailure, isStatus } from '../api/failure.ts'
import { loginWithReturn } from '../paths.ts'

/** A session that ended while the page was open: sign in, then come back to this very page. */
function leaveWhenSignedOut(error: unknown): void {
  if (isStatus(error, 401)) location.replace(loginWithReturn(location.pathname + location.search))
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: leaveWhenSignedOut }),
  mutationCache: new MutationCache({ onError: leaveWhenSignedOut }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A refusal stays a refusal; only a lost connection or a struggling server deserves another try.
      retry: (count, error) => count < 2 && !(error instanceof ApiFailure && error.status < 500),
    },
  },
})
