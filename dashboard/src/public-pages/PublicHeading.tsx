import { Stack, Text, Title } from '@mantine/core'
import { useEffect, type ReactNode } from 'react'
import { look } from '../lib/look.ts'

export function PublicHeading({ title, children }: { title: string; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${look().name}`
  }, [title])
  return (
    <Stack gap={6}>
      <Title>{title}</Title>
      {children && (
        <Text c="dimmed" size="sm">
          {children}
        </Text>
      )}
    </Stack>
  )
}
