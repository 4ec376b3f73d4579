import { Group } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { EmptyState } from './EmptyState.tsx'
import type { IconName } from './Icon.tsx'
import { Listing } from './Listing.tsx'
import { MoreButton } from './MoreButton.tsx'
import { RowsSkeleton } from './Rows.tsx'
import { Section } from './Section.tsx'

type PagedQuery<Page> = {
  data: { pages: Page[] } | undefined
  error: unknown
  refetch: () => Promise<unknown>
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => Promise<unknown>
}
type Props<Page, Item> = {
  query: PagedQuery<Page>
  itemsOf: (page: Page) => Item[]
  empty: { icon: IconName; title: string; text: string }
  children: (items: Item[]) => ReactNode
}

/** A list that is a page's main matter: a card of what was loaded so far, and below it a way to the rest. */
export function PagedList<Page, Item>({ query, itemsOf, empty, children }: Props<Page, Item>) {
  // A search through very many stops now and then with nothing found so far: it is gone on with until there is something.
  const searchesOn = query.hasNextPage && query.data?.pages.every((page) => itemsOf(page).length === 0) === true
  const { isFetchingNextPage, fetchNextPage } = query
  useEffect(() => {
    if (searchesOn && !isFetchingNextPage) void fetchNextPage()
  }, [searchesOn, isFetchingNextPage, fetchNextPage])

  return (
    <>
      <Section flush>
        <Listing query={query}>
          {({ pages }) => {
            const items = pages.flatMap(itemsOf)
            if (items.length > 0) return children(items)
            if (searchesOn) return <RowsSkeleton />
            return (
              <EmptyState icon={empty.icon} title={empty.title}>
                {empty.text}
              </EmptyState>
            )
          }}
        </Listing>
      </Section>
      <Group justify="center">{!searchesOn && <MoreButton query={query} />}</Group>
    </>
  )
}
