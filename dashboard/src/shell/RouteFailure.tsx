import { Button, Container, Group } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiFailure, isStatus } from '../api/failure.ts'
import { isOutage, OUTAGE_PAUSE_MS } from '../session/query-client.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { BrokenPage } from '../ui/ErrorBoundary.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { ShellSkeleton } from './ShellSkeleton.tsx'

export function RouteFailure({ error }: { error: unknown }) {
  const router = useRouter()
  const { retry } = useTexts('shared')
  useEffect(() => {
    if (!isOutage(error)) return undefined
    const trying = setTimeout(() => void router.invalidate(), OUTAGE_PAUSE_MS)
    return () => clearTimeout(trying)
  }, [error, router])
  // The query client is already on its way to the sign-in page.
  if (isStatus(error, 401)) return <ShellSkeleton />
  if (!(error instanceof ApiFailure) && !(error instanceof TypeError)) return <BrokenPage />
  return (
    <Container size="xs" py={96}>
      <FailureAlert failure={error}>
        <Group mt="sm">
          <Button size="xs" variant="default" onClick={() => void router.invalidate()}>
            {retry}
          </Button>
        </Group>
      </FailureAlert>
    </Container>
  )
}
