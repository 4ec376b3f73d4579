import { lazy, Suspense } from 'react'
import { entrancePageAt } from './entrance-pages.ts'
import { EntranceFrame } from './EntranceFrame.tsx'

const load = entrancePageAt(location.pathname)
const Page = load ? lazy(load) : () => null

/** Links between entrance pages are ordinary ones: each page starts afresh, with nothing of the last one in memory. */
export function App() {
  return (
    <EntranceFrame>
      <Suspense fallback={null}>
        <Page />
      </Suspense>
    </EntranceFrame>
  )
}
