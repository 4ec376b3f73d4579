import { Box, Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { hasCode } from '../api/failure.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from './FailureAlert.tsx'
import { RowsSkeleton } from './Rows.tsx'

type Query<Data> = { data: Data | undefined; error: unknown; refetch: () => Promise<unknown> }
type Props<Data> = {
  query: Query<Data>
  skeleton?: ReactNode
  isEmpty?: (data: Data) => boolean
  empty?: ReactNode
  children: (data: Data) => ReactNode
}

/** Shows the state of a query: loading, failed, empty or loaded. */
export function QueryView<Data>({ query, skeleton, isEmpty, empty, children }: Props<Data>) {
  const { retry } = useTexts('shared')
  // What somebody else has deleted since is not shown as if it were there.
  const isGone = hasCode(query.error, 'not_found')
  if (query.data !== undefined && !isGone) return isEmpty?.(query.data) ? empty : children(query.data)
  if (!query.error) return skeleton ?? <RowsSkeleton />
  return (
    <Box p="md">
      <FailureAlert failure={query.error}>
        <Group mt="xs">
          <Button size="xs" variant="default" onClick={() => void query.refetch()}>
            {retry}
          </Button>
        </Group>
      </FailureAlert>
    </Box>
  )
}
