import { Container, Group, Skeleton, Stack } from '@mantine/core'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Logo } from '../ui/Logo.tsx'

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
