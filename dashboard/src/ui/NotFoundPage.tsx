import { Button, Stack, Text, Title } from '@mantine/core'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/TextsProvider.tsx'

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
