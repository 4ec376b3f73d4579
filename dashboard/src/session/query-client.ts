import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiFailure, isStatus } from '../api/failure.ts'
import { loginWithReturn } from '../paths.ts'

/** A session that ended while the page was open: sign in, then come back to this very page. */
function leaveWhenSignedOut(error: unknown): void {
  if (isStatus(error, 401)) location.replace(loginWithReturn(location.pathname + location.search))
}

/** A refusal is not retried. After a lost connection or an error of the server a query is retried twice. */
export const shouldRetry = (failures: number, error: unknown): boolean =>
  failures < 2 && !(error instanceof ApiFailure && error.status < 500)

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: leaveWhenSignedOut }),
  mutationCache: new MutationCache({ onError: leaveWhenSignedOut }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: shouldRetry,
    },
  },
})
