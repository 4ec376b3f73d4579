import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { OnFailure } from './lib/use-submit.ts'
import { noticeSession, queryClient } from './session/query-client.ts'
import { router } from './shell/router.tsx'
import { start } from './start.tsx'

// The page and who is signed in are loaded beside the texts.
void router.load()
await start(App, [
  'shared',
  'failures',
  'errors',
  'proof',
  'account',
  'ssh',
  'admin',
  'applications',
  'people',
  'sites',
])

const noticeFailure = (failure: unknown) => noticeSession(failure, true)

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <OnFailure value={noticeFailure}>
        <RouterProvider router={router} />
      </OnFailure>
    </QueryClientProvider>
  )
}
