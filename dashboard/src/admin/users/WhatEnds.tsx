import { List, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { previewQuery } from './user-queries.ts'

/** What will be cut, counted, before it is cut. */
export function WhatEnds({ userId, children }: { userId: string; children: ReactNode }) {
  const texts = useTexts('admin').lifecycle
  const mayCount = useMay()('users:lifecycle')
  const { data, error } = useQuery({ ...previewQuery(userId), enabled: mayCount })
  if (!mayCount) return <Text size="sm">{children}</Text>
  return (
    <Stack gap={6}>
      <Text size="sm" fw={550}>
        {texts.cut}
      </Text>
      <FailureAlert failure={error} />
      {data ? (
        <List size="sm">
          <List.Item>{texts.sessions(data.ends.sessions)}</List.Item>
          <List.Item>{texts.tokens(data.ends.tokens)}</List.Item>
          <List.Item>{texts.certificates(data.ends.certificates)}</List.Item>
        </List>
      ) : (
        !error && <Skeleton h={64} />
      )}
      <Text size="sm" c="dimmed">
        {children}
      </Text>
    </Stack>
  )
}
