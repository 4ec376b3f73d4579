import { Box, Group, Text } from '@mantine/core'
import { useTexts } from '../texts/TextsProvider.tsx'

export function SetupSteps({ current }: { current: 1 | 2 | 3 }) {
  const texts = useTexts('publicPages').setup
  return (
    <Group gap={6} grow role="img" aria-label={texts.stepOf(current, texts.steps.length)}>
      {texts.steps.map((name, index) => (
        <Box key={name}>
          <Box h={4} mb={6} bg={index < current ? 'pine.7' : 'var(--latchkey-line)'} style={{ borderRadius: 2 }} />
          <Text size="xs" {...(index + 1 === current ? { fw: 600 } : { fw: 400, c: 'dimmed' })}>
            {name}
          </Text>
        </Box>
      ))}
    </Group>
  )
}
