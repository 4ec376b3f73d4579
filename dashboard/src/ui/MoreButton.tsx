import { Button, Stack } from '@mantine/core'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from './FailureAlert.tsx'

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
