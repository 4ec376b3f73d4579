import { Skeleton, Stack } from '@mantine/core'
import { useTexts } from '../texts/TextsProvider.tsx'

/** Stands in for a page about an authorization request until that is loaded. */
export function RequestSkeleton() {
  const { loading } = useTexts('shared')
  return (
    <Stack gap="lg" role="status" aria-label={loading}>
      <Skeleton h={28} w="70%" />
      <Skeleton h={14} w="50%" />
      <Skeleton h={64} />
      <Skeleton h={64} />
      <Skeleton h={42} />
    </Stack>
  )
}
