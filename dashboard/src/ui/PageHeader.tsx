import { Group, Stack, Text, Title } from '@mantine/core'
import { useEffect, type ReactNode } from 'react'
import { appearance } from '../lib/appearance.ts'

type Props = { title: string; description?: ReactNode; actions?: ReactNode }

export function PageHeader({ title, description, actions }: Props) {
  useEffect(() => {
    document.title = `${title} · ${appearance().name}`
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
