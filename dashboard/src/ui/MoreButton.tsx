import { Button } from '@mantine/core'
import { useTexts } from '../texts/TextsProvider.tsx'

type Props = { query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> } }

export function MoreButton({ query }: Props) {
  const { more } = useTexts('shared')
  if (!query.hasNextPage) return null
  return (
    <Button mt="md" variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
      {more}
    </Button>
  )
}
