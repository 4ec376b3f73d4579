import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { queryClient } from './session/query-client.ts'
import { router } from './shell/router.tsx'
import { start } from './start.tsx'

// The page and who is signed in are loaded beside the texts.
void router.load()
await start(App, [
  'shared',
  'failures',
  'refusals',
  'errors',
  'account',
  'ssh',
  'admin',
  'applications',
  'people',
  'sites',
])

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  )
}
