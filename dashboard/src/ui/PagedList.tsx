import { Button, Stack } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { useTexts } from '../texts/TextsProvider.tsx'
import { EmptyState } from './EmptyState.tsx'
import { FailureAlert } from './FailureAlert.tsx'
import type { IconName } from './Icon.tsx'
import { QueryView } from './QueryView.tsx'
import { RowsSkeleton } from './Rows.tsx'
import { Section } from './Section.tsx'

type PagedQuery<Page> = MorePages & { data: { pages: Page[] } | undefined; refetch: () => Promise<unknown> }
type Props<Page, Item> = {
  query: PagedQuery<Page>
  itemsOf: (page: Page) => Item[]
  empty: { icon: IconName; title: string; text: string }
  children: (items: Item[]) => ReactNode
}

/** The main list of a page: a card with the items that were loaded so far, and a button to load more. */
export function PagedList<Page, Item>({ query, itemsOf, empty, children }: Props<Page, Item>) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  // A search through very many rows may return pages without items. Then the next page is loaded until there is an item.
  const isNoneYet = hasNextPage && query.data?.pages.every((page) => itemsOf(page).length === 0) === true
  const hasFailed = isNoneYet && isFetchNextPageError
  const isSearching = isNoneYet && !hasFailed
  useEffect(() => {
    if (isSearching && !isFetchingNextPage) void fetchNextPage()
  }, [isSearching, isFetchingNextPage, fetchNextPage])

  return (
    <>
      {!hasFailed && (
        <Section flush>
          <QueryView query={query}>
            {({ pages }) => {
              const items = pages.flatMap(itemsOf)
              if (items.length > 0) return children(items)
              if (isSearching) return <RowsSkeleton />
              return (
                <EmptyState icon={empty.icon} title={empty.title}>
                  {empty.text}
                </EmptyState>
              )
            }}
          </QueryView>
        </Section>
      )}
      {!isSearching && <MoreButton query={query} />}
    </>
  )
}

/** A list that is loaded page by page. */
export type MorePages = {
  error: unknown
  hasNextPage: boolean
  isFetchingNextPage: boolean
  isFetchNextPageError: boolean
  fetchNextPage: () => Promise<unknown>
}

/** Loads the next page of a list, and says why that failed. */
export function MoreButton({ query }: { query: MorePages }) {
  const { more } = useTexts('shared')
  if (!query.hasNextPage) return null
  return (
    <Stack mt="md" align="center">
      <FailureAlert failure={query.isFetchNextPageError ? query.error : undefined} />
      <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {more}
      </Button>
    </Stack>
  )
}
