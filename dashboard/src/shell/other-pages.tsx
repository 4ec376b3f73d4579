import { Button, Container, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiFailure, isStatus } from '../api/failure.ts'
import type { PermissionName } from '../api/shapes.ts'
import { paths } from '../paths.ts'
import { isOutage, OUTAGE_PAUSE_MS } from '../session/query-client.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { BrokenPage } from '../ui/ErrorBoundary.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { LinkButton } from '../ui/links.tsx'
import { Logo } from '../ui/Logo.tsx'

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

export function NoPermissionPage({ permission }: { permission: PermissionName }) {
  const texts = useTexts('account').nav
  const { names } = useTexts('people').permissions
  const { toStart } = useTexts('shared')
  return (
    <EmptyState
      icon="lock"
      title={texts.noPermissionTitle}
      action={
        <LinkButton to={paths.account} variant="light">
          {toStart}
        </LinkButton>
      }
    >
      {texts.noPermission(names[permission])}
    </EmptyState>
  )
}

export function NotFoundPage() {
  const texts = useTexts('shared')
  return (
    <Stack align="flex-start" py={48}>
      <Text ff="monospace" c="dimmed">
        404
      </Text>
      <Title>{texts.notFoundTitle}</Title>
      <Text c="dimmed">{texts.notFoundText}</Text>
      <Button component="a" href={paths.home} variant="light">
        {texts.toStart}
      </Button>
    </Stack>
  )
}

export function ShellSkeleton() {
  const { loading } = useTexts('shared')
  return (
    <div role="status" aria-label={loading}>
      <Group h={60} px="md" bg="var(--mantine-color-body)">
        <Logo size={26} />
      </Group>
      <Container size={1080} py={32}>
        <Stack>
          <Skeleton h={28} w={220} />
          <Skeleton h={16} w={360} />
          <Skeleton h={220} mt="md" radius="lg" />
        </Stack>
      </Container>
    </div>
  )
}
