import { lazy, Suspense } from 'react'
import { publicPageAt } from './public-pages/public-pages.ts'
import { PublicFrame } from './public-pages/PublicFrame.tsx'
import { start } from './start.tsx'

// Where somebody who is signed in may have to prove once more who they are.
const mayAsk = /^.(step-up|device)/.test(location.pathname)
await start(App, ['shared', 'publicPages', ...(mayAsk ? (['proof'] as const) : [])])

const load = publicPageAt(location.pathname)
const Page = load ? lazy(load) : () => null

/** Links between public pages load a new page, so that nothing of the last one stays in memory. */
export function App() {
  return (
    <PublicFrame>
      <Suspense fallback={null}>
        <Page />
      </Suspense>
    </PublicFrame>
  )
}
