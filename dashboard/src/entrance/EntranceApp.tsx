import { lazy, Suspense } from 'react'
import { entrancePageAt } from './entrance-pages.ts'
import { EntranceFrame } from './EntranceFrame.tsx'

const load = entrancePageAt(location.pathname)
const Page = load ? lazy(load) : () => null

/** Links between entrance pages load a new page, so that nothing of the last one stays in memory. */
export function App() {
  return (
    <EntranceFrame>
      <Suspense fallback={null}>
        <Page />
      </Suspense>
    </EntranceFrame>
  )
}
