import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { EmptyState } from './EmptyState.tsx'
import type { IconName } from './Icon.tsx'
import { Listing } from './Listing.tsx'
import { MoreButton } from './MoreButton.tsx'
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
  return (
    <>
      <Section flush>
        <Listing query={query}>
          {({ pages }) => {
            const items = pages.flatMap(itemsOf)
            if (items.length > 0) return children(items)
            return (
              <EmptyState icon={empty.icon} title={empty.title}>
                {empty.text}
              </EmptyState>
            )
          }}
        </Listing>
      </Section>
      <Group justify="center">
        <MoreButton query={query} />
      </Group>
    </>
  )
}
