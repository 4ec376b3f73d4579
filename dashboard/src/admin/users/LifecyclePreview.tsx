import { List, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { previewQuery } from './user-queries.ts'

type Props = { userId: string; later?: boolean; children: ReactNode }

/** Lists what disabling or deleting an account will end. */
export function LifecyclePreview({ userId, later = false, children }: Props) {
  const texts = useTexts('admin').lifecycle
  const mayCount = useMay()('users:lifecycle')
  const { data, error } = useQuery({ ...previewQuery(userId), enabled: mayCount })
  if (!mayCount) return <Text size="sm">{children}</Text>
  const sessions = howMany(data?.ends.sessions)
  const apps = howMany(data?.ends.apps)
  const certificates = howMany(data?.ends.certificates)
  const ends = [
    sessions > 0 && texts.sessions(sessions),
    apps > 0 && texts.tokens(apps),
    certificates > 0 && texts.certificates(certificates),
  ].filter((end) => end !== false)
  return (
    <Stack gap={6}>
      <Text size="sm" fw={550}>
        {later ? texts.cutLater : texts.cut}
      </Text>
      <FailureAlert failure={error} />
      {data ? (
        <List size="sm">
          {ends.map((end) => (
            <List.Item key={end}>{end}</List.Item>
          ))}
          {ends.length === 0 && <List.Item>{texts.nothingEnds}</List.Item>}
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

/** Names, or only their number for people who may not see users. */
const howMany = (ended: number | unknown[] | undefined): number => (Array.isArray(ended) ? ended.length : (ended ?? 0))
