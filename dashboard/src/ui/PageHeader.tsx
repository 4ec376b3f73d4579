import { Group, Stack, Text, Title } from '@mantine/core'
import { useEffect, type ReactNode } from 'react'

type Props = { title: string; description?: ReactNode; actions?: ReactNode }

export function PageHeader({ title, description, actions }: Props) {
  useEffect(() => {
    document.title = `${title} · Latchkey`
  }, [title])
  return (
    <Group justify="space-between" align="flex-start" gap="md" mb="lg">
      <Stack gap={4} maw={640}>
        <Title>{title}</Title>
        {description && (
          <Text c="dimmed" style={{ textWrap: 'pretty' }}>
            {description}
          </Text>
        )}
      </Stack>
      {actions && <Group gap="sm">{actions}</Group>}
    </Group>
  )
}
